/**
 * Runs public templates in the real n8n and, after the import, here. Compares the node outputs item by item and the
 * requests of each run.
 */
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Product } from "../faults/product.ts";
import type { Finding, Options, Proof } from "../proof.ts";
import { type Compared, compareItems, settleText } from "./compare-items.ts";
import { Importer, SECRET } from "./importer.ts";
import { runThere, type Snapshot } from "./n8n-program.ts";
import { toPlain } from "./plain-template.ts";
import { readTemplate, type Template } from "./template.ts";
import { Upstream } from "./upstream.ts";

/**
 * `npm run proof -- n8n-parity FOLDER --n8n=FOLDER [--count=25] [--only=100,602] [--keep=FILE]`: a folder of templates
 * and one with n8n. `DB_TYPE` and similar variables set n8n's database. The file caches n8n's results.
 */
export const n8nParity: Proof = {
  name: "n8n-parity",
  usage: "FOLDER --n8n=FOLDER [--count=25] [--only=100,602] [--keep=FILE]",
  run,
};

const PASSWORD = "correct horse battery staple";
const ITEMS_MIN = 3;

async function run(options: Options): Promise<Finding> {
  await using stack = new AsyncDisposableStack();
  const value = (name: string): string | undefined =>
    options.find((one) => one.startsWith(`--${name}=`))?.slice(name.length + 3);
  const [folder] = options.filter((one) => !one.startsWith("--"));
  const installed = value("n8n");
  if (folder === undefined || installed === undefined)
    throw new Error("Name a folder of templates, and with --n8n= one in which n8n is installed.");
  const place = await mkdtemp(join(tmpdir(), "millrace-n8n-"));
  stack.defer(() => rm(place, { recursive: true, force: true }));
  const keep = value("keep");
  const kept = keep === undefined ? undefined : await readKept(keep);
  const upstream = stack.use(await Upstream.open(kept?.port));
  const count = Number(value("count") ?? 25);
  const only = value("only")?.split(",");
  const templates = await readTemplates(folder, { url: upstream.url, count, only });
  for (const [number, { nodes }] of templates) upstream.know(number, nodes);
  const there = kept?.there ?? (await runAll({ installed, place, templates, upstream }));
  if (keep !== undefined && !kept) await writeKept(keep, { port: upstream.port, there });
  const product = await Product.start({
    env: {
      MILLRACE_ADMIN_PASSWORD: PASSWORD,
      MILLRACE_DATA_DIR: join(place, "data"),
      MILLRACE_CONSOLE: "off",
      MILLRACE_OUTBOUND_ALLOW: "127.0.0.0/8",
      TZ: "UTC",
    },
    logFile: join(place, "log"),
  });
  stack.defer(async () => void (await product.stop()));
  const importer = await Importer.signIn(product.url, PASSWORD);
  const outcomes: Outcome[] = [];
  for (const [number, template] of templates) {
    const known = there.get(number);
    if (!known) continue;
    const named = { ...template, name: `Compared ${number}` };
    const outcome = await compareOne(importer, named, known);
    const requests = compareRequests(known.asked, upstream.take(number));
    outcomes.push({ number, ...outcome, ...(outcome.compared && { requests }) });
  }
  return tell(outcomes);
}

/** The results of n8n for a template, with its requests. */
type There = Snapshot & { readonly asked: readonly string[] };

async function runAll({
  installed,
  place,
  templates,
  upstream,
}: {
  readonly installed: string;
  readonly place: string;
  readonly templates: ReadonlyMap<string, Template>;
  readonly upstream: Upstream;
}): Promise<Map<string, There>> {
  const snapshots = await runThere(installed, place, templates);
  return new Map(
    [...snapshots].map(([number, one]) => [number, { ...one, asked: upstream.take(number) }]),
  );
}

interface Kept {
  readonly port: number;
  readonly there: ReadonlyMap<string, There>;
}

async function readKept(file: string): Promise<Kept | undefined> {
  const text = await readFile(file, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  const { port, there } = JSON.parse(text) as {
    readonly port: number;
    readonly there: readonly (readonly [string, There & { readonly items?: [string, never][] }])[];
  };
  return {
    port,
    there: new Map(
      there.map(([number, { items, ...one }]) => [
        number,
        { ...one, ...(items && { items: new Map(items) }) },
      ]),
    ),
  };
}

async function writeKept(file: string, { port, there }: Kept): Promise<void> {
  const plain = [...there].map(([number, one]) => [
    number,
    { ...one, ...(one.items && { items: [...one.items] }) },
  ]);
  await writeFile(file, JSON.stringify({ port, there: plain }));
}

/** The templates that both can run, by number. */
async function readTemplates(
  folder: string,
  {
    url,
    count,
    only,
  }: { readonly url: string; readonly count: number; readonly only: readonly string[] | undefined },
): Promise<Map<string, Template>> {
  const found = new Map<string, Template>();
  for (const file of (await readdir(folder)).toSorted(
    (one, other) => parseInt(one, 10) - parseInt(other, 10),
  )) {
    const number = file.replace(/\.json$/, "");
    if (number === file || (only && !only.includes(number))) continue;
    const template = readTemplate(await readFile(join(folder, file), "utf8"));
    const plain = template && toPlain(template, `${url}/${number}`);
    if (plain) found.set(number, plain);
    if (found.size >= count) break;
  }
  return found;
}

interface Outcome {
  readonly number: string;
  readonly compared?: Compared;
  /** The reason why a comparison was impossible. */
  readonly because?: string;
  readonly requests?: readonly string[];
}

async function compareOne(
  importer: Importer,
  template: Template,
  { items, error }: Snapshot,
): Promise<Omit<Outcome, "number">> {
  const ours = await importer.run(template);
  if ("lost" in ours) return { because: `not imported: ${ours.lost}` };
  if (!items)
    return {
      because: `${ours.error === undefined ? "FAILS THERE ALONE" : "fails in both"}: ${error}${ours.error === undefined ? "" : ` / ${ours.error}`}`,
    };
  // A run with hardly any output is not meaningful.
  if ([...items.values()].flat(2).length < ITEMS_MIN) return { because: "hardly an item" };
  const compared = compareItems(template, items, ours);
  return ours.error === undefined
    ? { compared }
    : {
        compared: {
          ...compared,
          differences: [`fails here alone: ${ours.error}`, ...compared.differences],
        },
      };
}

/** The requests made by only one side. */
function compareRequests(theirs: readonly string[], ours: readonly string[]): string[] {
  // Keys in a template are secrets here.
  const keys = ours.flatMap((one) => [...one.matchAll(TYPED)].map(([, name = ""]) => name));
  const settled = (list: readonly string[]): string[] =>
    list.map((one) =>
      settleText(
        keys.reduce(
          (text, name) => text.replaceAll(new RegExp(`(?<=[?&]${name}=)[^&]*`, "g"), ""),
          one,
        ),
      ),
    );
  return compareLists(settled(theirs), settled(ours));
}

const TYPED = new RegExp(`[?&](\\w+)=${SECRET}`, "g");

function compareLists(theirs: readonly string[], ours: readonly string[]): string[] {
  const without = (some: readonly string[], others: readonly string[]): string[] => {
    const left = [...others];
    return some.filter((one) => {
      const at = left.indexOf(one);
      if (at >= 0) left.splice(at, 1);
      return at < 0;
    });
  };
  return [
    ...without(theirs, ours).map((one) => `asked there alone: ${one.slice(0, 400)}`),
    ...without(ours, theirs).map((one) => `asked here alone: ${one.slice(0, 400)}`),
  ];
}

function tell(outcomes: readonly Outcome[]): Finding {
  const compared = outcomes.flatMap((one) => (one.compared ? [{ ...one, ...one.compared }] : []));
  const sum = (of: (one: Compared) => number): number =>
    compared.reduce((n, one) => n + of(one), 0);
  const lines = outcomes.flatMap(({ number, compared: one, because, requests = [] }) =>
    one
      ? [
          `${number}: ${one.same} of ${one.nodes} nodes the same, ${one.items} items`,
          ...one.told.map((difference) => `  told: ${difference}`),
          ...[...one.differences, ...requests].map((difference) => `  ${difference}`),
        ]
      : [`${number}: ${because}`],
  );
  const differing = compared.filter(
    ({ differences, requests = [] }) => differences.length + requests.length > 0,
  );
  return {
    held: compared.length > 0 && differing.length === 0,
    lines: [
      ...lines,
      `${outcomes.length} templates, ${compared.length} compared, ${compared.length - differing.length} of them the same`,
      `${sum(({ same }) => same)} of ${sum(({ nodes }) => nodes)} nodes, ${sum(({ items }) => items)} items`,
    ],
  };
}
