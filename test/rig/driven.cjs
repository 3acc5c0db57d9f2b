// Loaded before a process begins: its clocks, the wall's and the one that only runs, are ahead by what the file CLOCK_FILE
// says, as two numbers of milliseconds. A pager writes down what it has read, so that a test knows that it looked since.
const fs = require("node:fs");
const file = process.env.CLOCK_FILE;
const real = Date;
const running = performance.now.bind(performance);
const isPager = process.argv.includes("pager");
let known = "";

function ahead(which) {
  const text = fs.readFileSync(file, "utf8");
  if (isPager && text !== known) fs.writeFileSync(`${file}.seen.${process.pid}`, text);
  known = text;
  return Number(text.split(" ")[which]);
}

class Driven extends real {
  constructor(...given) {
    if (given.length === 0) super(real.now() + ahead(0));
    else super(...given);
  }

  static now() {
    return real.now() + ahead(0);
  }
}

globalThis.Date = Driven;
performance.now = () => running() + ahead(1);
