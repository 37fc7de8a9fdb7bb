// Elements of the page. Whatever the program, the server or a file says becomes text nodes: no HTML is ever read.

const HIDDEN = /[\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** The text with characters that cannot be seen, or that turn others round, as escapes; lines stay lines. */
export function visible(text) {
  return text.replace(HIDDEN, (each) => {
    if (each === "\n" || each === "\t") return each;
    const code = each.codePointAt(0).toString(16);
    return code.length > 4 ? `\\U${code.padStart(8, "0")}` : `\\u${code.padStart(4, "0")}`;
  });
}

/** An element with attributes, with a listener for each function among them (`onclick`), and with children. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value != null) made.setAttribute(key, value);
  }
  made.append(...children.flat(Infinity).filter((each) => each != null).map(node));
  return made;
}

function node(child) {
  return child instanceof Node ? child : visible(String(child));
}

/** A button that does something. */
export function button(label, onclick, attributes = {}) {
  return element("button", { type: "button", onclick, ...attributes }, label);
}

/** A table with a head, where a cell is text or an element. */
export function table(caption, head, rows) {
  return element(
    "div",
    { class: "scrolls", tabindex: "0", role: "region", "aria-label": caption },
    element(
      "table",
      {},
      element("caption", {}, caption),
      element("thead", {}, element("tr", {}, head.map((each) => element("th", { scope: "col" }, each)))),
      element("tbody", {}, rows.map((row) => element("tr", {}, row.map((each) => element("td", {}, each))))),
    ),
  );
}

/** Markdown as elements, as far as the explanations and the tutorial use it: headings, lists, code, emphasis. */
export function markdown(text) {
  const made = document.createDocumentFragment();
  for (const block of blocks(text)) made.append(block);
  return made;
}

function* blocks(text) {
  const lines = text.split("\n");
  for (let at = 0; at < lines.length; ) {
    const from = at;
    if (lines[at].startsWith("```")) {
      do at++;
      while (at < lines.length && !lines[at].startsWith("```"));
      yield element("pre", { tabindex: "0" }, element("code", {}, lines.slice(from + 1, at).join("\n")));
      at++;
    } else if (/^#{1,4} /.test(lines[at])) {
      const [, marks, words] = /^(#+) (.*)$/.exec(lines[at++]);
      yield element(`h${Math.min(marks.length + 1, 6)}`, {}, spans(words));
    } else if (/^- /.test(lines[at])) {
      do at++;
      while (at < lines.length && /^(- |  )/.test(lines[at]));
      const items = lines.slice(from, at).join("\n").slice(2).split("\n- ");
      yield element("ul", {}, items.map((each) => element("li", {}, spans(each.replace(/\n */g, " ")))));
    } else if (lines[at].trim() === "") {
      at++;
    } else {
      do at++;
      while (at < lines.length && lines[at].trim() !== "" && !/^(```|#{1,4} |- )/.test(lines[at]));
      yield element("p", {}, spans(lines.slice(from, at).join(" ")));
    }
  }
}

function spans(text) {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*|\*[^*\s][^*]*\*)/).map((each) => {
    if (each.startsWith("`")) return element("code", {}, each.slice(1, -1));
    if (each.startsWith("**")) return element("strong", {}, each.slice(2, -2));
    if (each.startsWith("*") && each.length > 2) return element("em", {}, each.slice(1, -1));
    return each;
  });
}
