import type { Deed } from "./deed.ts";
import { flow } from "./flow.ts";
import { people } from "./people.ts";
import { records } from "./records.ts";
import { tickets } from "./tickets.ts";

/** All actions of users and programs. */
export const MIX: readonly Deed[] = [...records, ...tickets, ...flow, ...people];
