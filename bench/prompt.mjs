/** A terminal program that draws a prompt and appends the time of every line that is entered to a file. */
import fs from "node:fs";

const file = process.argv[2];
let text = "";
const draw = () => process.stdout.write(`\u001b[H\u001b[2J> ${text}`);
process.stdin.setRawMode(true);
process.stdin.setEncoding("utf8").on("data", (keys) => {
  for (const key of keys) {
    if (key === "\r") {
      fs.appendFileSync(file, `${Date.now()} ${text}\n`);
      text = "";
    } else if (key >= " ") text += key;
  }
  draw();
});
draw();
