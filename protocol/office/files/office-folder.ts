/**
 * The folder in which this machine keeps what it needs to run the office: programs, environment, launches, tokens, and which dispatches are
 * its own. It lies in the user's state folder, so that no file of a project or a home, however it came, decides what runs. spec/office.md, "Runner".
 */
import { refuse } from "../../core/refusal.ts";
import type { Store } from "../../store/root.ts";

/** The folder by its path in the store of this machine. */
export const OFFICE = "office";
/** Starts of programs, for this user alone: the settings of a program have the token of its turn. */
export const LAUNCHES = `${OFFICE}/launches`;

/**
 * Asks what this machine keeps of the office.
 * @param store of the home
 * @param otherwise the answer where nothing was ever kept here, or what is there may not be trusted
 */
export function inOffice<T>(store: Store, otherwise: T, ask: (office: Store) => T): T {
  const office = store.outside?.find() ?? null;
  return office === null ? otherwise : ask(asDurable(office, store));
}

/** The store in which this machine keeps it, made if need be. @param store of the home @throws Refusal `no_state_folder`, `tracked_state` */
export function officeToWrite(store: Store): Store {
  if (store.foreign !== null) throw store.foreign;
  if (store.outside === undefined || store.readOnly)
    throw refuse("not_writable", { path: store.root, reason: "it was opened only to be read" });
  return asDurable(store.outside.make(), store);
}

const asDurable = (office: Store, { durable }: Store): Store => ({ ...office, durable });
