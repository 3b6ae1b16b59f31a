import { RecordCreated, RecordDeleted, RecordUpdated } from "#domains/records/index.ts";
import { tableEvents } from "#domains/tables/index.ts";
import type { WriteContext } from "#kernel/contract.ts";
import {
  ImportAnalyzed,
  ImportChecked,
  ImportCompleted,
  ImportFailed,
  ImportProgressed,
  ImportTakenBack,
} from "./import.ts";

/** The events of an import's job. */
export const workEvents = [
  ImportAnalyzed,
  ImportChecked,
  ImportCompleted,
  ImportFailed,
  ImportProgressed,
  ImportTakenBack,
  RecordCreated,
  RecordUpdated,
  RecordDeleted,
  ...tableEvents,
] as const;

export type WorkContext = WriteContext<(typeof workEvents)[number]>;
