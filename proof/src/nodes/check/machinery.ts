import type { Check } from "./check.ts";

const CHARACTERS_TOLD = 600;

/** There are no dead letters or failed jobs, and no node logged an error. */
export const checkMachinery: Check = async ({ database, ledger, receiver, complaints }) => {
  const parked = await database.rows("select reader, error from parked_events");
  const failed = await database.rows(
    "select kind, last_error from jobs where failed_at is not null",
  );
  const [{ n: readers }] = await database.rows("select count(*)::int as n from readers");
  return {
    line: `${readers} readers are at the end of the log; ${ledger.cutOff} requests were cut off by a kill, ${ledger.turnedAway} were turned away with 503 and Retry-After, ${ledger.replayed} were answered as before; no other failed`,
    faults: [
      ...parked.map(({ reader, error }) => `${reader} has parked an event: ${error}`),
      ...failed.map(({ kind, last_error }) => `a job ${kind} was given up: ${last_error}`),
      ...complaints.map((line) => `a node complained: ${line.slice(0, CHARACTERS_TOLD)}`),
      ...receiver.faults,
      ...ledger.faults,
    ],
  };
};
