// What the page keeps in this browser between visits: the text, its name, whether the tutorial gave it, the tutorial's
// progress, the colours.

const KEY = "potlang-playground-1";
const EMPTY = { text: null, name: null, isGiven: true, step: null, done: [], theme: "auto" };
let kept = read();

function read() {
  try {
    const found = JSON.parse(localStorage.getItem(KEY));
    return { ...EMPTY, ...(typeof found === "object" ? found : {}) };
  } catch {
    return { ...EMPTY };
  }
}

export function recall(name) {
  return kept[name];
}

/** Keep values; a browser that keeps nothing has the page forget them when it is left. */
export function keep(values) {
  kept = { ...kept, ...values };
  try {
    localStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    // Full, or not allowed.
  }
}

/** Forget everything. */
export function forget() {
  kept = { ...EMPTY };
  try {
    localStorage.removeItem(KEY);
  } catch {
    // Not allowed: then nothing was kept.
  }
}
