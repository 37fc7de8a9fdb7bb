"use strict";

// The client of `potc lsp`, and two commands that run potc on the file in front. All else is the server's.

const { execFile } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const vscode = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

const OURS = ["potlang", "potlang-trace", "potlang-solution"];
const OTHERS = ["json", "jsonc", "plaintext"];
const PAGE_MS = 120_000;

let client;
let pages;

function settings() {
  return vscode.workspace.getConfiguration("potlang");
}

function potc() {
  return settings().get("path") || "potc";
}

function sourcesOptions() {
  return (settings().get("sourcesDirectories") || []).flatMap((each) => ["--sources-dir", each]);
}

function makeClient() {
  const languages = settings().get("otherJson") ? [...OURS, ...OTHERS] : OURS;
  const server = { command: potc(), args: ["lsp", "--stdio", ...sourcesOptions()], transport: TransportKind.stdio };
  return new LanguageClient("potlang", "potlang", server, {
    documentSelector: languages.flatMap((language) => [
      { scheme: "file", language },
      { scheme: "untitled", language },
    ]),
    initializationOptions: { inlayHints: settings().get("inlayHints") },
    synchronize: { configurationSection: "potlang" },
  });
}

async function start() {
  client = makeClient();
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    const answer = await vscode.window.showErrorMessage(
      `\`${potc()} lsp\` cannot be started (${error.message}). Install it by: pip install 'potlang[lsp]'`,
      "Open settings"
    );
    if (answer) {
      vscode.commands.executeCommand("workbench.action.openSettings", "potlang.path");
    }
  }
}

async function restart() {
  if (client) {
    await client.stop().catch(() => undefined);
    client = undefined;
  }
  await start();
}

// The file of the editor in front, saved; undefined, with a word to the user, where there is none.
async function savedFile() {
  const document = vscode.window.activeTextEditor?.document;
  if (!document || (document.isDirty && !(await document.save())) || document.uri.scheme !== "file") {
    vscode.window.showInformationMessage("Save the program, trace or solution as a file first.");
    return undefined;
  }
  return document.uri.fsPath;
}

async function verify() {
  const file = await savedFile();
  if (file === undefined) {
    return;
  }
  // A process and its arguments, and no shell: a file's name is never read as a command.
  const run = new vscode.ProcessExecution(potc(), ["verify", ...sourcesOptions(), "--", file], {
    cwd: path.dirname(file),
  });
  const task = new vscode.Task({ type: "process" }, vscode.TaskScope.Workspace, "verify", "potlang", run, []);
  task.presentationOptions = { reveal: vscode.TaskRevealKind.Always, panel: vscode.TaskPanelKind.Dedicated, clear: true };
  await vscode.tasks.executeTask(task);
}

async function openPage() {
  const file = await savedFile();
  if (file === undefined) {
    return;
  }
  pages ??= fs.mkdtempSync(path.join(os.tmpdir(), "potlang-"));
  const page = path.join(pages, `${path.basename(file)}.html`);
  const place = { location: vscode.ProgressLocation.Window, title: "potlang: making the page" };
  const failed = await vscode.window.withProgress(place, () => run(["view", ...sourcesOptions(), "-o", page, "--", file], file));
  // potc ends with 1 where a claim does not hold, and the page is there.
  if (!fs.existsSync(page)) {
    vscode.window.showErrorMessage(`There is no page: ${failed || "potc view has made none"}`);
    return;
  }
  await vscode.env.openExternal(vscode.Uri.file(page));
}

function run(args, file) {
  return new Promise((resolve) => {
    const options = { cwd: path.dirname(file), timeout: PAGE_MS };
    execFile(potc(), args, options, (error, _, said) => resolve(error ? (said || error.message).slice(0, 500) : ""));
  });
}

async function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand("potlang.verify", verify),
    vscode.commands.registerCommand("potlang.openPage", openPage),
    vscode.commands.registerCommand("potlang.restart", restart),
    vscode.workspace.onDidChangeConfiguration((event) => {
      const restarting = ["potlang.path", "potlang.sourcesDirectories", "potlang.otherJson"];
      if (restarting.some((each) => event.affectsConfiguration(each))) {
        restart();
      }
    })
  );
  await start();
}

async function deactivate() {
  if (pages) {
    fs.rmSync(pages, { recursive: true, force: true });
  }
  await client?.stop();
}

module.exports = { activate, deactivate };
