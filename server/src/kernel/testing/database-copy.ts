import { randomUUID } from "node:crypto";
import { inject } from "vitest";
import { withOwnerClient } from "../db/setup/owner-connection.ts";

/** The next copy, which is made while tests run on the one before. */
let next: Promise<string> | undefined;

/** Takes a new copy of the template; resolves with its name. */
export async function takeDatabase(): Promise<string> {
  const taken = next ?? copyTemplate();
  next = undefined;
  // A copy that failed while nobody waited for it, perhaps since somebody looked into the template, is made again.
  const name = await taken.catch(copyTemplate);
  next ??= copyTemplate();
  next.catch(() => undefined);
  return name;
}

/** Drops it in its own time; what is still there when the run ends is dropped then. */
export function dropDatabase(name: string): void {
  withOwnerClient(inject("database").owner, (client) =>
    client.query(`drop database ${name} with (force)`),
  ).catch(() => undefined);
}

async function copyTemplate(): Promise<string> {
  const { owner, template, isPrivate } = inject("database");
  const name = `${template}_${randomUUID().slice(-12)}`;
  // Copying files waits for a checkpoint, which is nothing where nothing is synced, and much elsewhere.
  const strategy = isPrivate ? "file_copy" : "wal_log";
  await withOwnerClient(owner, (client) =>
    client.query(`create database ${name} template ${template} strategy ${strategy}`),
  );
  return name;
}
