/**
 * The one way to write. An act says in full what it will have done, decides it by one exclusive create, and is then followed by what every
 * act is followed by, whoever does it. SPEC.md, "Finishing what was begun".
 *
 * 1. prepare: whoever follows may refuse it. Nothing was written then.
 * 2. note: where its files come from. Before they are there, because nobody but their writer may say that they were written here. Who is
 *    killed now leaves a note of a file that is not there.
 * 3. decide: one exclusive create.
 * 4. follow: what the act itself still has to do. Who is killed before the end of it is finished by the next operation.
 * 5. announce: viewers, and the order of arrival. What is lost of it is a hint, or is found by a look.
 */
import { afterCommit } from "../store/write/publish.ts";
import { quietly } from "./format/file-error.ts";
import type { FeedLine } from "./home/feed.ts";
import { listedPackages } from "./package.ts";
import type { World } from "./world.ts";

/** An act, by what it writes and tells; known in full before it is decided. */
export interface Deed {
  /** The files that it writes, by path in the home. */
  readonly paths?: readonly string[];
  /** True where it is refused if its files cannot be noted as written here. */
  readonly isNotedFirst?: boolean;
  /** The id of the message that it sends. */
  readonly message?: string;
  /** The line that viewers are told. */
  readonly event?: Omit<FeedLine, "at">;
}

/** The part that a package takes in every act. A deed that does not concern it is passed over. */
export interface ActFollower {
  /** @throws Refusal: the act is refused */
  prepare?(world: World, deed: Deed): void;
  /** Notes the deed before it is decided. An error of it is passed over, as of `announce`. */
  note?(world: World, deed: Deed): void;
  /** Tells of the deed once it is done. */
  announce?(world: World, deed: Deed): void;
}

const followers = (): ActFollower[] => listedPackages().flatMap(({ acts }) => acts ?? []);

/** Tells the followers of an act what it wrote, before anybody is told of it. */
const note = (world: World, deed: Deed): void => {
  for (const each of followers()) quietly(() => each.note?.(world, deed));
};

const announce = (world: World, deed: Deed): void => {
  for (const each of followers()) quietly(() => each.announce?.(world, deed));
};

/**
 * Acts.
 * @param decide the exclusive create; null where somebody else was first, and nothing was written
 * @param follow what must happen once it is decided; what fails here is done by the next operation, and nothing is taken back
 * @returns what `decide` gave
 * @throws what a follower refuses; what `decide` throws
 */
export function act<T>(world: World, deed: Deed, decide: () => T | null, follow: (decided: T) => void = () => {}): T | null {
  for (const each of followers()) each.prepare?.(world, deed);
  note(world, deed);
  const decided = decide();
  if (decided === null) return null;
  afterCommit(() => follow(decided));
  announce(world, deed);
  return decided;
}

/** Tells the followers of what was decided in another way: by a revision of a file that changes, or by an act of several steps. */
export function acted(world: World, deed: Deed): void {
  note(world, deed);
  announce(world, deed);
}
