import { randomUUID } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";

/** The next copy, which is made while tests run on the one before. */
let next: Promise<string> | undefined;
/** The connection that makes and drops them, for all files of this worker: a new one for each took a third of the time. */
let maker: Promise<pg.Client> | undefined;

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
  execute(`drop database ${name} with (force)`).catch(() => undefined);
}

async function copyTemplate(): Promise<string> {
  const { template, isPrivate } = inject("database");
  const name = `${template}_${randomUUID().slice(-12)}`;
  // Copying files waits for a checkpoint, which is nothing where nothing is synced, and much elsewhere.
  const strategy = isPrivate ? "file_copy" : "wal_log";
  await execute(`create database ${name} template ${template} strategy ${strategy}`);
  return name;
}

async function execute(text: string): Promise<void> {
  maker ??= connect();
  await (await maker).query(text);
}

async function connect(): Promise<pg.Client> {
  const client = new pg.Client(inject("database").owner);
  client.on("error", () => (maker = undefined));
  await client.connect();
  return client;
}
