import { isDeepStrictEqual } from "node:util";
import { ApiError, type Client, pagesOf, type Schemas } from "@millrace/client";
import { cardOf, type LocalArtifact, readFolder, writeArtifact, writeCard } from "./folder.ts";

type Artifact = Schemas["Artifact"];

/** Downloads everything on the server into a folder. Local changes of the same artifacts are lost. */
export async function pull(
  client: Client,
  folder: string,
  moduleKey: string | undefined,
): Promise<string[]> {
  const query = moduleKey === undefined ? {} : { moduleKey };
  const known = safeFolder(folder);
  const paths: string[] = [];
  for await (const { id } of pagesOf((page) =>
    client.artifacts.list({ query: { ...page, ...query } }),
  )) {
    const { data } = await client.artifacts.get({ params: { id } });
    const here = known.find(({ card }) => card.id === id);
    paths.push(writeArtifact(folder, data, here?.path));
  }
  return paths;
}

export interface Pushed {
  readonly path: string;
  readonly what: "created" | "updated" | "unchanged" | "conflict" | "refused";
  /** The reasons of a rejection. */
  readonly problems?: readonly string[];
  readonly id?: string;
}

export interface PushOptions {
  readonly dryRun?: boolean;
  readonly force?: boolean;
}

/** Saves what differs from the server, one artifact after another. */
export async function push(
  client: Client,
  artifacts: readonly LocalArtifact[],
  options: PushOptions,
): Promise<Pushed[]> {
  const results: Pushed[] = [];
  for (const artifact of artifacts) results.push(await pushOne(client, artifact, options));
  return results;
}

async function pushOne(
  client: Client,
  local: LocalArtifact,
  options: PushOptions,
): Promise<Pushed> {
  try {
    return await (local.card.id === undefined
      ? create(client, local, options)
      : update(client, { ...local, id: local.card.id }, options));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const problems = error.errors.map(({ path, message }) => `${path}: ${message}`);
    const { path } = local;
    return { path, what: "refused", problems: problems.length > 0 ? problems : [error.message] };
  }
}

async function create(
  client: Client,
  local: LocalArtifact,
  { dryRun }: PushOptions,
): Promise<Pushed> {
  const { path, card, source } = local;
  if (dryRun) return { path, what: "created" };
  const { detail, id: _, updatedAt: __, ...rest } = card;
  const { data } = await client.artifacts.create({
    body: { ...rest, detail: { ...detail, scriptSource: source } },
  });
  writeCard(path, cardOf(data, detail));
  return { path, what: "created", id: data.id };
}

async function update(
  client: Client,
  local: LocalArtifact & { readonly id: string },
  { dryRun, force }: PushOptions,
): Promise<Pushed> {
  const { path, card, source, id } = local;
  let etag: string | null = null;
  const { data: there } = await client.artifacts.get(
    { params: { id } },
    { onAnswer: ({ headers }) => (etag = headers.get("etag")) },
  );
  const detail = { ...card.detail, scriptSource: source };
  const { name, moduleKey, status, description } = card;
  const wanted = { name, moduleKey, status, description };
  if (
    isDeepStrictEqual(there.detail, detail) &&
    Object.entries(wanted).every(([key, value]) => there[key as keyof Artifact] === value)
  ) {
    writeCard(path, cardOf(there, card.detail));
    return { path, what: "unchanged", id };
  }
  if (there.updatedAt !== card.updatedAt && !force) return { path, what: "conflict", id };
  if (dryRun) return { path, what: "updated", id };
  const { data } = await client.artifacts.update(
    { params: { id }, body: { ...wanted, detail } },
    etag === null ? {} : { ifMatch: etag },
  );
  writeCard(path, cardOf(data, card.detail));
  return { path, what: "updated", id };
}

export interface Tested {
  readonly path: string;
  readonly passed: number;
  readonly failed: number;
  readonly failures: readonly { readonly name: string; readonly reasons: readonly string[] }[];
}

/** Runs the test cases of artifacts on the server. */
export async function test(client: Client, artifacts: readonly LocalArtifact[]): Promise<Tested[]> {
  const results: Tested[] = [];
  for (const { path, card } of artifacts) {
    if (card.id === undefined) continue;
    const { data } = await client.artifacts.run_test_cases({ params: { id: card.id } });
    const failures = data.results
      .filter(({ passed }) => !passed)
      .map(({ name, diff, runtimeError }) => ({
        name,
        reasons: [
          ...(runtimeError ? [`${runtimeError.name}: ${runtimeError.message}`] : []),
          ...diff.map(
            ({ path: at, expected, actual }) =>
              `${at === "" ? "output" : at}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`,
          ),
        ],
      }));
    results.push({ path, passed: data.passed, failed: data.failed, failures });
  }
  return results;
}

function safeFolder(folder: string): LocalArtifact[] {
  try {
    return readFolder(folder);
  } catch {
    // The first pull creates it.
    return [];
  }
}
