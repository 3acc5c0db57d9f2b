/** The acts with several machines: two clones of one remote. */
import { refuse } from "../../protocol/core/refusal.ts";
import type { Act } from "./stage.ts";

const clones: Act = {
  title: "Another machine: a clone of the same remote, with the same home",
  async play(stage) {
    await stage.git("init", "--quiet", "--bare", "hub.git");
    await stage.git("-C", "shop", "remote", "add", "origin", "../hub.git");
    await stage.git("-C", "shop", "push", "--quiet", "origin", "main");
    stage.relay("shop", "sync", "--remote", "origin");
    stage.relay(".", "clone", "hub.git", "laptop");
  },
};

const apart: Act = {
  title: "Both work at once, on the same memory too; then each syncs",
  play(stage) {
    stage.relay("laptop", "send", "web", "From the laptop", "The train has no network.", "--part", "docs");
    stage.relay("laptop", "memory", "write", "laptop", "The train has no network.", "--part", "docs");
    stage.relay("shop", "memory", "write", "shop", "The prices are in.");
    stage.relay("laptop", "sync");
    stage.relay("shop", "sync");
    stage.relay("laptop", "sync");
    stage.relay("web", "inbox");
    const [one, other] = ["shop", "laptop"].map((where) => stage.shell(where, "git -C .relay rev-parse 'HEAD^{tree}'"));
    if (one !== other) throw refuse("internal", { reason: "the two clones differ" });
    stage.say("Both have the same files, byte for byte, and nobody saw a conflict.");
  },
};

const checked: Act = {
  title: "What CI says about it",
  async play(stage) {
    await stage.git("-C", "laptop", "fetch", "--quiet");
    stage.relay("laptop", "check", "--ref", "origin/relay");
  },
};

/** The acts of several machines, in order. */
export const machineActs: readonly Act[] = [clones, apart, checked];
