// Runs the extension with a VS Code that notes what it is asked for: node vscode_double.js EXTENSION POTC FILE TABLES
"use strict";

const fs = require("node:fs");
const Module = require("node:module");

const [extension, potc, file, tables] = process.argv.slice(2);
const notes = [];
const commands = {};
const settings = { path: potc, inlayHints: false, otherJson: false, sourcesDirectories: [tables] };
const vscode = {
  workspace: {
    getConfiguration: () => ({ get: (name) => settings[name] }),
    onDidChangeConfiguration: () => ({}),
  },
  window: {
    activeTextEditor: { document: { isDirty: false, uri: { scheme: "file", fsPath: file } } },
    showErrorMessage: async (message) => void notes.push({ error: message }),
    showInformationMessage: (message) => notes.push({ told: message }),
    withProgress: (_, work) => work(),
  },
  commands: { registerCommand: (name, run) => ((commands[name] = run), {}) },
  tasks: { executeTask: async (task) => void notes.push({ task: task.execution }) },
  env: { openExternal: async (page) => void notes.push({ page: fs.readFileSync(page, "utf8").slice(0, 200) }) },
  Uri: { file: (name) => name },
  Task: class {
    constructor(...parts) {
      this.execution = parts[4];
    }
  },
  ProcessExecution: class {
    constructor(command, args) {
      Object.assign(this, { command, args });
    }
  },
  ProgressLocation: {},
  TaskScope: {},
  TaskRevealKind: {},
  TaskPanelKind: {},
};
const library = {
  LanguageClient: class {
    constructor(_id, _name, server, options) {
      notes.push({ server: { command: server.command, args: server.args }, options });
    }
    async start() {}
    async stop() {}
  },
  TransportKind: { stdio: 0 },
};

const load = Module._load;
Module._load = (name, ...rest) => ({ vscode, "vscode-languageclient/node": library })[name] ?? load(name, ...rest);

(async () => {
  const { activate, deactivate } = require(extension);
  await activate({ subscriptions: [] });
  await commands["potlang.verify"]();
  await commands["potlang.openPage"]();
  vscode.window.activeTextEditor = undefined;
  await commands["potlang.verify"]();
  await deactivate();
  console.log(JSON.stringify(notes));
})();
