// Calls of the server, each by one of the page's two callers: what is typed does not wait for what is verified.

const SESSION = "/play/session.json";
let session = null;

/** The server cannot be reached. */
export class Unreachable extends Error {}

/** The server has answered that it does not carry the request out; `problem` says why. */
export class Refused extends Error {
  constructor(problem) {
    super(problem.detail);
    this.problem = problem;
  }
}

/** The version of the server, the limits of a program, the tokens of this run. */
export async function sessionOf(signal) {
  session ??= await (await reached(SESSION, { signal })).json();
  return session;
}

/**
 * The answer to a verb on a text. Waits and asks again where the server has too much to do, and tells `onWait`
 * for how many seconds, then 0. Raises Refused, Unreachable, and AbortError after `signal`.
 */
export async function ask(verb, text, { caller = "editing", parameters = {}, signal, onWait = () => {} } = {}) {
  let renewed = false;
  for (;;) {
    const { tokens, limits } = await sessionOf(signal);
    if (new Blob([text]).size > limits.bytes) throw new Refused(tooLong(limits));
    const response = await reached(`/v1/${verb}?${new URLSearchParams(parameters)}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${tokens[caller]}`, "Content-Type": "text/plain; charset=utf-8" },
      body: text,
      signal,
    });
    if (response.ok) return response.json();
    if (response.status === 401 && !renewed) {
      // The server was started again since, with other tokens.
      renewed = true;
      session = null;
      continue;
    }
    const wait = Number(response.headers.get("Retry-After"));
    if (!wait) throw new Refused(await problemOf(response));
    onWait(wait);
    await pause(wait * 1000, signal);
    onWait(0);
  }
}

/** The Markdown page of a diagnostic code, or an example list and other files of the playground. */
export async function read(path) {
  const response = await reached(`/play/${path}`, {});
  if (!response.ok) throw new Refused(await problemOf(response));
  return response;
}

/** Returns when the server answers again. */
export async function back() {
  for (;;) {
    await pause(1000);
    try {
      if ((await fetch("/health/ready")).ok) return;
    } catch {
      // Not yet.
    }
  }
}

/** What the server would say, without sending it all of the text. */
function tooLong(limits) {
  const detail = `the text has more than ${limits.bytes.toLocaleString("en")} bytes`;
  return { code: "too_large", detail, help: "make it shorter" };
}

async function reached(path, options) {
  try {
    return await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Unreachable("the server cannot be reached", { cause: error });
  }
}

async function problemOf(response) {
  try {
    return await response.json();
  } catch {
    return { code: "unexpected", detail: `the server has answered ${response.status}`, help: "try again" };
  }
}

function pause(ms, signal) {
  return new Promise((done, fail) => {
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      fail(new DOMException("stopped", "AbortError"));
    });
  });
}
