// Writes ../assets/editor.licences.txt: of each package of the bundle its name, version and licence.
import { readFileSync, writeFileSync } from "node:fs";

const { dependencies } = JSON.parse(readFileSync("package.json", "utf8"));
const notices = Object.keys(dependencies).map((name) => {
  const { version, license } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8"));
  const text = readFileSync(`node_modules/${name}/LICENSE`, "utf8").trim();
  return `${name} ${version} (${license})\n\n${text}\n`;
});
writeFileSync("../assets/editor.licences.txt", notices.join(`\n${"-".repeat(80)}\n\n`));
