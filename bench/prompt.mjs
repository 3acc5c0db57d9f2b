/** A terminal program that draws a prompt and appends the time of every line that is entered to a file; `dialog` opens one. */
import fs from "node:fs";

const file = process.argv[2];
let text = "";
let asks = false;
const draw = () => process.stdout.write(`\u001b[H\u001b[2J${asks ? "Do you want to run it?\r\n❯ 1. Yes\r\n  2. No" : `> ${text}`}`);
process.stdin.setRawMode(true);
process.stdin.setEncoding("utf8").on("data", (keys) => {
  for (const key of keys) {
    if (key === "\r") {
      fs.appendFileSync(file, `${Date.now()} ${text}\n`);
      asks = text === "dialog";
      text = "";
    } else if (key >= " ") text += key;
  }
  draw();
});
draw();
