import type { World } from "../world.ts";
export const teamIds = (_world: World, _session: string): string[] => [];
