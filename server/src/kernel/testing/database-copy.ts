import { randomUUID } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";

type Template = "template" | "workedTemplate";

/** The next copies, which are made while tests run on those before. */
const next = new Map<Template, Promise<string>>();
/**
 * The connection that makes and drops them, for all files of this worker: a new one for each took a third of the time.
 */
let maker: Promise<pg.Client> | undefined;

/** Takes a new copy of a template; resolves with its name. */
export async function takeDatabase(of: Template = "template"): Promise<string> {
  const taken = next.get(of) ?? copyTemplate(of);
  next.delete(of);
  // A copy that failed while nobody waited for it, perhaps since somebody looked into the template, is made again.
  const name = await taken.catch(() => copyTemplate(of));
  const following = next.get(of) ?? copyTemplate(of);
  next.set(of, following);
  following.catch(() => undefined);
  return name;
}

/** Drops it in its own time; what is still there when the run ends is dropped then. */
export function dropDatabase(name: string): void {
  execute(`drop database ${name} with (force)`).catch(() => undefined);
}

async function copyTemplate(of: Template): Promise<string> {
  const { [of]: copied, template, isPrivate } = inject("database");
  const name = `${template}_${randomUUID().slice(-12)}`;
  // Copying files waits for a checkpoint, which is nothing where nothing is synced, and much elsewhere.
  const strategy = isPrivate ? "file_copy" : "wal_log";
  await execute(`create database ${name} template ${copied} strategy ${strategy}`);
  return name;
}

/** Resolves after the statement before, whatever came of it: one connection executes one at a time. */
let before: Promise<unknown> = Promise.resolve();

async function execute(text: string): Promise<void> {
  const executed = before.then(async () => {
    maker ??= connect();
    await (await maker).query(text);
  });
  before = executed.catch(() => undefined);
  await executed;
}

async function connect(): Promise<pg.Client> {
  const client = new pg.Client(inject("database").owner);
  client.on("error", () => (maker = undefined));
  await client.connect();
  return client;
}
