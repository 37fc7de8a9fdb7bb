// What a page can do beyond showing everything: graphs are moved, zoomed, searched and folded, trees opened whole.
// The page's policy allows this script alone, by its hash. It makes no markup of any text: text goes into text nodes.
"use strict";

const SVG = "http://www.w3.org/2000/svg";
let printing = false, closed = [];
const LARGEST = 3, READABLE = 0.5, TOP = 0.72;

function button(words, title, act) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = words;
  made.setAttribute("aria-label", title);
  made.title = title;
  made.addEventListener("click", act);
  return made;
}

class Graph {
  constructor(figure) {
    this.canvas = figure.querySelector(".canvas");
    this.svg = this.canvas.querySelector("svg");
    const box = this.svg.viewBox.baseVal;
    this.width = box.width;
    this.height = box.height;
    this.view = { x: 0, y: 0, scale: 1 };
    this.nodes = new Map([...this.svg.querySelectorAll(".node")].map((node) => [node.dataset.id, node]));
    this.lines = [...this.svg.querySelectorAll(".line")];
    this.folded = new Set();
    this.canvas.classList.add("moved");
    // The nodes have one place in the order of tabs: arrow keys lead from one to the next.
    this.canvas.removeAttribute("tabindex");
    this.nodes.forEach((node) => node.setAttribute("tabindex", "-1"));
    this.current = [...this.nodes.values()].at(-1);
    this.current?.setAttribute("tabindex", "0");
    this.makeFolds();
    this.makeToolbar(figure);
    this.listen();
    // What is folded away has no size yet.
    new ResizeObserver(() => this.resized()).observe(this.canvas);
  }

  // --- the view ----------------------------------------------------------------------------------

  resized() {
    const wide = this.canvas.clientWidth;
    if (!wide || wide === this.wide || printing) return;
    this.wide = wide;
    const most = window.innerHeight * TOP;
    const scale = Math.max(wide / this.width, READABLE);
    this.canvas.style.height = `${Math.min(Math.max(this.height * Math.min(1, scale), 260), most)}px`;
    this.fit();
    // A view in which nothing can be read shows a part with what matters in its place.
    if (this.view.scale < READABLE) this.show(this.focusFirst(), READABLE * 1.5);
  }

  focusFirst() {
    const wrong = [...this.nodes.values()].find((node) => node.querySelector(".wrong"));
    return wrong ?? this.current;
  }

  draw() {
    const { x, y, scale } = this.view;
    const wide = this.canvas.clientWidth / scale, high = this.canvas.clientHeight / scale;
    this.svg.setAttribute("viewBox", `${x} ${y} ${wide} ${high}`);
  }

  fit() {
    const wide = this.canvas.clientWidth, high = this.canvas.clientHeight;
    const scale = Math.min(wide / this.width, high / this.height, 1.25);
    this.view = { x: (this.width - wide / scale) / 2, y: (this.height - high / scale) / 2, scale };
    this.draw();
  }

  zoom(factor, atX = this.canvas.clientWidth / 2, atY = this.canvas.clientHeight / 2) {
    const { x, y, scale } = this.view;
    const least = Math.min(this.canvas.clientWidth / this.width, this.canvas.clientHeight / this.height, 1) / 2;
    const next = Math.min(Math.max(scale * factor, least), LARGEST);
    this.view = { x: x + atX / scale - atX / next, y: y + atY / scale - atY / next, scale: next };
    this.draw();
  }

  pan(dx, dy) {
    this.view.x -= dx / this.view.scale;
    this.view.y -= dy / this.view.scale;
    this.draw();
  }

  middle(node) {
    const { x, y, width, height } = node.querySelector("rect").getBBox();
    return { x: x + width / 2, y: y + height / 2 };
  }

  show(node, scale = Math.max(this.view.scale, READABLE * 1.4)) {
    if (!node) return;
    const { x, y } = this.middle(node);
    const wide = this.canvas.clientWidth, high = this.canvas.clientHeight;
    // As much of the graph as possible: no empty half beside what stands at its border.
    const kept = (middle, seen, whole) =>
      seen >= whole ? (whole - seen) / 2 : Math.min(Math.max(middle - seen / 2, 0), whole - seen);
    this.view = { x: kept(x, wide / scale, this.width), y: kept(y, high / scale, this.height), scale };
    this.draw();
  }

  isInView(node) {
    const box = node.getBoundingClientRect(), frame = this.canvas.getBoundingClientRect();
    return box.left >= frame.left && box.right <= frame.right && box.top >= frame.top && box.bottom <= frame.bottom;
  }

  // --- keys, pointers, wheel -----------------------------------------------------------------------

  listen() {
    this.svg.addEventListener("focusin", (event) => this.focused(event.target.closest(".node")));
    this.svg.addEventListener("keydown", (event) => this.pressed(event));
    this.canvas.addEventListener("wheel", (event) => {
      // A wheel alone scrolls the page; a pinch on a touchpad comes as a wheel with Ctrl.
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const frame = this.canvas.getBoundingClientRect();
      this.zoom(Math.exp(-event.deltaY / 200), event.clientX - frame.left, event.clientY - frame.top);
    }, { passive: false });
    this.pointers = new Map();
    this.canvas.addEventListener("pointerdown", (event) => {
      this.pointers.set(event.pointerId, event);
      this.moved = 0;
    });
    window.addEventListener("pointermove", (event) => this.dragged(event));
    for (const end of ["pointerup", "pointercancel"])
      window.addEventListener(end, (event) => this.pointers.delete(event.pointerId));
    this.canvas.addEventListener("click", (event) => {
      if (this.moved > 5) event.preventDefault();
    }, true);
    this.canvas.addEventListener("dragstart", (event) => event.preventDefault());
  }

  dragged(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    const others = [...this.pointers.values()].filter((each) => each.pointerId !== event.pointerId);
    const dx = event.clientX - before.clientX, dy = event.clientY - before.clientY;
    this.pointers.set(event.pointerId, event);
    this.moved += Math.abs(dx) + Math.abs(dy);
    if (others.length === 0) this.pan(dx, dy);
    else {
      const [other] = others, frame = this.canvas.getBoundingClientRect();
      const far = (each) => Math.hypot(each.clientX - other.clientX, each.clientY - other.clientY) || 1;
      this.pan(dx / 2, dy / 2);
      this.zoom(far(event) / far(before), (event.clientX + other.clientX) / 2 - frame.left,
        (event.clientY + other.clientY) / 2 - frame.top);
    }
  }

  focused(node) {
    if (!node) return;
    this.current?.setAttribute("tabindex", "-1");
    this.current = node;
    node.setAttribute("tabindex", "0");
    const { id } = node.dataset;
    for (const line of this.lines) line.classList.toggle("on", line.dataset.from === id || line.dataset.to === id);
    if (!this.isInView(node)) this.show(node, this.view.scale);
  }

  pressed(event) {
    const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const acts = { "+": () => this.zoom(1.25), "=": () => this.zoom(1.25), "-": () => this.zoom(0.8), "0": () => this.fit(),
      f: () => this.fold(this.current) };
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (ways[event.key]) this.nearest(...ways[event.key])?.focus({ preventScroll: true });
    else if (acts[event.key]) acts[event.key]();
    else return;
    event.preventDefault();
  }

  // The nearest node in a direction; what lies aside of it counts as farther.
  nearest(right, down) {
    const from = this.middle(this.current);
    let best = null, least = Infinity;
    for (const node of this.nodes.values()) {
      if (node === this.current || node.classList.contains("gone")) continue;
      const to = this.middle(node), dx = to.x - from.x, dy = to.y - from.y;
      const along = dx * right + dy * down, aside = Math.abs(dx * down) + Math.abs(dy * right);
      if (along > 1 && along + 2 * aside < least) [best, least] = [node, along + 2 * aside];
    }
    return best;
  }

  // --- folding -------------------------------------------------------------------------------------

  makeFolds() {
    this.before = new Map([...this.nodes.keys()].map((id) => [id, []]));
    this.after = new Map([...this.nodes.keys()].map((id) => [id, []]));
    for (const line of this.lines) {
      const { from, to } = line.dataset;
      if (from === to || line.querySelector(".inclusion")) continue;
      this.before.get(to)?.push(from);
      this.after.get(from)?.push(to);
    }
    this.signs = new Map();
    for (const [id, node] of this.nodes) if (this.hiddenBy(new Set([id])).size) this.signs.set(id, this.makeSign(node));
  }

  makeSign(node) {
    const { x, y } = node.querySelector("rect").getBBox();
    const sign = document.createElementNS(SVG, "g");
    sign.setAttribute("class", "fold");
    sign.setAttribute("aria-hidden", "true"); // The button in the toolbar and the key F do the same.
    const circle = sign.appendChild(document.createElementNS(SVG, "circle"));
    const text = sign.appendChild(document.createElementNS(SVG, "text"));
    for (const [name, value] of [["cx", x], ["cy", y], ["r", 8]]) circle.setAttribute(name, value);
    for (const [name, value] of [["x", x], ["y", y + 4]]) text.setAttribute(name, value);
    text.textContent = "−";
    sign.addEventListener("click", () => this.fold(node));
    node.after(sign);
    return sign;
  }

  // What only leads to folded nodes.
  hiddenBy(folded) {
    const hidden = new Set(), waiting = [...folded];
    while (waiting.length) {
      for (const id of this.before.get(waiting.pop()) ?? []) {
        if (hidden.has(id) || folded.has(id)) continue;
        if (this.after.get(id).every((next) => hidden.has(next) || folded.has(next))) {
          hidden.add(id);
          waiting.push(id);
        }
      }
    }
    return hidden;
  }

  fold(node) {
    const id = node?.dataset.id;
    if (!this.signs.has(id)) return;
    if (!this.folded.delete(id)) this.folded.add(id);
    this.showFolds();
    node.focus({ preventScroll: true });
  }

  showFolds() {
    const hidden = this.hiddenBy(this.folded);
    for (const [id, node] of this.nodes) node.classList.toggle("gone", hidden.has(id));
    for (const [id, sign] of this.signs) {
      sign.classList.toggle("gone", hidden.has(id));
      sign.querySelector("text").textContent = this.folded.has(id) ? "+" : "−";
    }
    for (const line of this.lines)
      line.classList.toggle("gone", hidden.has(line.dataset.from) || hidden.has(line.dataset.to));
    this.unfold.disabled = this.folded.size === 0;
    this.say(hidden.size ? `${hidden.size} folded` : "");
  }

  // --- the toolbar -----------------------------------------------------------------------------------

  makeToolbar(figure) {
    const bar = document.createElement("div");
    bar.className = "toolbar";
    bar.setAttribute("role", "group");
    bar.setAttribute("aria-label", "Graph");
    this.search = document.createElement("input");
    this.search.type = "search";
    this.search.placeholder = "Search the graph";
    this.search.setAttribute("aria-label", "Search the graph");
    this.search.addEventListener("input", () => this.find());
    this.search.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.next();
    });
    this.found = document.createElement("span");
    this.found.className = "found";
    this.found.setAttribute("role", "status");
    this.unfold = button("Unfold all", "Unfold all nodes", () => {
      this.folded.clear();
      this.showFolds();
    });
    this.unfold.disabled = true;
    const folds = this.signs.size
      ? [button("Fold", "Fold what leads to the chosen node alone", () => this.fold(this.current)), this.unfold] : [];
    bar.append(button("Fit", "Fit the graph into the view", () => this.fit()), button("−", "Zoom out", () => this.zoom(0.8)),
      button("+", "Zoom in", () => this.zoom(1.25)), ...folds, this.search, this.found);
    this.canvas.before(bar);
  }

  say(words) {
    this.found.textContent = words;
  }

  find() {
    const wanted = this.search.value.trim().toLowerCase();
    this.matches = [];
    this.at = -1;
    for (const node of this.nodes.values()) {
      const matches = wanted !== "" && node.querySelector("title").textContent.toLowerCase().includes(wanted);
      node.classList.toggle("match", matches);
      node.classList.toggle("dim", wanted !== "" && !matches);
      if (matches) this.matches.push(node);
    }
    this.say(wanted ? `${this.matches.length} of ${this.nodes.size} nodes match` : "");
    this.next();
  }

  next() {
    if (!this.matches?.length) return;
    this.at = (this.at + 1) % this.matches.length;
    const node = this.matches[this.at];
    if (node.classList.contains("gone")) {
      this.folded.clear();
      this.showFolds();
    }
    this.show(node);
    this.say(`${this.at + 1} of ${this.matches.length} nodes that match`);
  }
}

const graphs = [...document.querySelectorAll(".graph-figure")].map((figure) => new Graph(figure));

// From a row to its node: in the first graph that has it.
document.addEventListener("click", (event) => {
  const link = event.target.closest(".to-graph");
  if (!link) return;
  const id = link.textContent;
  const graph = graphs.find((each) => each.nodes.has(id));
  if (!graph) return;
  event.preventDefault();
  graph.canvas.closest("details")?.setAttribute("open", "");
  graph.canvas.scrollIntoView({ block: "nearest" });
  requestAnimationFrame(() => {
    graph.resized();
    if (graph.nodes.get(id).classList.contains("gone")) {
      graph.folded.clear();
      graph.showFolds();
    }
    graph.show(graph.nodes.get(id));
    graph.nodes.get(id).focus({ preventScroll: true });
  });
});

for (const tree of document.querySelectorAll(".tree")) {
  const every = [...tree.querySelectorAll("details")];
  if (every.length < 3) continue;
  const bar = document.createElement("div");
  bar.className = "toolbar";
  const set = (open) => () => every.forEach((each) => { each.open = open || each.parentElement === tree; });
  bar.append(button("Open all", "Open all steps", set(true)), button("Close all", "Close all steps", set(false)));
  tree.before(bar);
}

// On paper everything is open, and graphs are whole.
window.addEventListener("beforeprint", () => {
  printing = true;
  closed = [...document.querySelectorAll("details:not([open])")].filter((each) => !each.querySelector(".canvas"));
  closed.forEach((each) => { each.open = true; });
  for (const { svg, canvas, width, height } of graphs) {
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    canvas.style.height = "auto";
  }
});
window.addEventListener("afterprint", () => {
  printing = false;
  closed.forEach((each) => { each.open = false; });
  graphs.forEach((graph) => {
    graph.wide = 0;
    graph.resized();
  });
});
