// Loaded before a process begins: its clock differs from the machine's by CLOCK_OFF milliseconds.
const real = Date;
const off = Number(process.env.CLOCK_OFF);

class Skewed extends real {
  constructor(...given) {
    if (given.length === 0) super(real.now() + off);
    else super(...given);
  }

  static now() {
    return real.now() + off;
  }
}

globalThis.Date = Skewed;
