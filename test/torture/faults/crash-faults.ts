/** Faults that a writer could have, each planted into the record of one command. The proof is worth what it finds of them. */
import {
  answeredAfter,
  answeredBefore,
  bytesUnflushed,
  folderUnflushed,
  inPlace,
  nameBeforeBytes,
  removedAfter,
  removedBefore,
} from "../../rig/crash/plant.ts";
import type { Call } from "../../rig/crash/trace.ts";
import type { Scene } from "./crash-scene.ts";

type Plant = (scene: Scene) => Call[];

const MESSAGE = /\/threads\/[-\d]+\/[-\w]+\/1-\w+\.md$/;
const THREAD = /\/threads\/[-\d]+\/[-\w]+$/;
const DAY = /\/threads\/[-\d]+$/;
const UNREAD = /\/inbox\/web\/new\/[^/]+$/;
const INBOX = /\/inbox\/web\/new$/;
const INBOX_OF_ANY = /\/inbox\/.*\/new$/;
const CONFIG = /\/\.relay\/relay\.yml$/;
const CLAIM = /\/claims\/[-\w]+\/1\.md$/;
const ENDED = /\/claims\/[-\w]+\/2\.md$/;
const OBJECT = /\/relay\/objects\/..\/[0-9a-f]{38}$/;
const BRANCH = /\/relay\/refs\/heads\/relay$/;

/** When a server may have answered that goes on meanwhile: a command alone may be done with all before it says so. */
export const EARLIEST: Readonly<Record<string, Plant>> = {
  send: ({ calls }) => answeredAfter(calls, INBOX),
  reply: ({ calls }) => answeredAfter(calls, INBOX_OF_ANY),
};

/** The faults of each command, or story, by what the writer does wrong. */
export const PLANTED: Readonly<Record<string, Readonly<Record<string, Plant>>>> = {
  send: {
    "the message is not flushed": ({ calls }) => bytesUnflushed(calls, MESSAGE),
    "the message has its name before its bytes": ({ calls }) => nameBeforeBytes(calls, MESSAGE),
    "the thread's folder is not flushed": ({ calls }) => folderUnflushed(calls, THREAD),
    "the new thread's name is not flushed": ({ calls }) => folderUnflushed(calls, DAY),
    "an inbox is not flushed": ({ calls }) => folderUnflushed(calls, INBOX),
    "the answer comes before the message is flushed": ({ calls }) => answeredBefore(calls, /\/local\/pending$/),
    "the intent is removed before the inboxes have the message": ({ calls }) => removedAfter(calls, /\/local\/pending\//, MESSAGE),
    "the idempotency key is not flushed": ({ calls }) => folderUnflushed(calls, /\/local\/keys\/main$/),
  },
  ack: {
    "the acked name is not flushed": ({ calls }) => folderUnflushed(calls, /\/inbox\/web\/read\/[-\d]+$/),
    "the folder of acked names is not flushed": ({ calls }) => folderUnflushed(calls, /\/inbox\/web\/read$/),
    "the unread name is removed before the acked one is made": ({ calls, before }) =>
      removedBefore(calls, UNREAD, /\/inbox\/web\/read\//, [...before.keys()].find((path) => MESSAGE.test(path)) as string),
  },
  "part add": {
    "the settings are not flushed": ({ calls }) => bytesUnflushed(calls, CONFIG),
    "the settings' new name is not flushed": ({ calls }) => folderUnflushed(calls, /\/\.relay$/),
    "the settings are written over, in their place": ({ calls }) => inPlace(calls, CONFIG),
  },
  "task claim": {
    "the claim is not flushed": ({ calls }) => bytesUnflushed(calls, CLAIM),
    "the claim's name is not flushed": ({ calls }) => folderUnflushed(calls, /\/claims\/[-\w]+$/),
  },
  "a task until it is done": {
    "the folder of the task's claims is not flushed": ({ calls }) => folderUnflushed(calls, /\/claims$/),
  },
  "task update": {
    "the record that ends a claim is not flushed": ({ calls }) => bytesUnflushed(calls, ENDED),
    "the name of that record is not flushed": ({ calls }) => folderUnflushed(calls, /\/claims\/[-\w]+$/),
  },
  event: {
    "the event's line is not flushed": ({ calls }) => folderUnflushed(calls, /\/events\/.*\.jsonl$/),
    "the first line's name is not flushed": ({ calls }) => folderUnflushed(calls, /\/events\/[-\d]+$/),
  },
  record: {
    "an object is not flushed": ({ calls }) => bytesUnflushed(calls, OBJECT),
    "an object has its name before its bytes": ({ calls }) => nameBeforeBytes(calls, OBJECT),
    "the folders of objects are not flushed": ({ calls }) => folderUnflushed(calls, /\/relay\/objects(\/..)?$/),
    "the branch is not flushed": ({ calls }) => bytesUnflushed(calls, BRANCH),
  },
  "record -- of many files": {
    "a pack is not flushed": ({ calls }) => bytesUnflushed(calls, /\/relay\/objects\/pack\/.*\.pack$/),
    "the folder of packs is not flushed": ({ calls }) => folderUnflushed(calls, /\/relay\/objects\/pack$/),
  },
  sync: {
    "the folder of packs is not flushed": ({ calls }) => folderUnflushed(calls, /\/relay\/objects\/pack$/),
    "the branch is not flushed": ({ calls }) => bytesUnflushed(calls, BRANCH),
  },
  "office start": {
    "the dispatch is not flushed": ({ calls }) => bytesUnflushed(calls, /\/local\/office\/[-\w]+\/own\/dispatch\.md$/),
    "the dispatch's name is not flushed": ({ calls }) => folderUnflushed(calls, /\/local\/office\/[-\w]+\/own$/),
    "what rings the runner is not flushed": ({ calls }) => folderUnflushed(calls, /\/local\/office\/ring$/),
  },
  "office close": {
    "the close is not flushed": ({ calls }) => bytesUnflushed(calls, /\/own\/closed\.md$/),
  },
  archive: {
    "the archive is not flushed": ({ calls }) => bytesUnflushed(calls, /\/archive\/.*\.md$/),
    "the archive's name is not flushed": ({ calls }) => folderUnflushed(calls, /\/archive\//),
  },
};
