/** What a pack brings, read and checked while no transaction is open. */
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform, PlatformServices } from "#kernel/contract.ts";
import { contributionsTo } from "#kernel/extension-point.ts";
import { Failure, type FieldError, Forbidden, Invalid } from "#kernel/operation/failure.ts";
import { type PackContent, PackContentPoint } from "#kernel/contributions/pack-content.ts";
import { Validator } from "#kernel/schema/validator.ts";
import { checksumOf } from "./descriptor.ts";
import { contentsOf, type Descriptor, faultsOf, PIECES_MAX } from "./descriptor.ts";

export interface PackItem {
  readonly kind: PackContent;
  readonly key: string;
  readonly content: unknown;
  readonly checksum: string;
  readonly prepared: unknown;
  /** Where it stands in the descriptor. */
  readonly path: string;
}

/** Every kind of content, in the order in which they can be made. */
export function kindsOf({ contributions }: PlatformServices): readonly PackContent[] {
  const left = [...contributionsTo(PackContentPoint, contributions)];
  const kinds: PackContent[] = [];
  while (left.length > 0) {
    const ready = left.findIndex(
      ({ after = [] }) => !left.some(({ kind }) => after.includes(kind)),
    );
    if (ready === -1) throw new Error("Kinds of content wait for each other.");
    kinds.push(...left.splice(ready, 1));
  }
  return kinds;
}

/** Reads a descriptor: its pieces in the order in which they are made. Throws all that is wrong with it. */
export async function readPackItems(
  platform: Platform,
  descriptor: Descriptor,
  caller: Caller,
): Promise<readonly PackItem[]> {
  const kinds = kindsOf(platform);
  const faults = faultsOf(descriptor);
  const found = contentsOf(descriptor).flatMap(({ kind, content: given, path }) => {
    const content = kinds.find((one) => one.kind === kind);
    if (!content) {
      const names = kinds.map((one) => one.kind).join(", ");
      faults.push({ path: `/resources/${kind}`, message: `must be one of ${names}` });
      return [];
    }
    const read = shapeOf(content).check(given);
    if (!("faults" in read)) return [{ content, said: read.value, path }];
    for (const fault of read.faults) faults.push(below(path, fault));
    return [];
  });
  if (found.length > PIECES_MAX) {
    faults.push({ path: "/resources", message: `are more than ${PIECES_MAX}` });
  }
  if (faults.length > 0) throw refusal(faults);
  assertCanInstall(
    found.map(({ content }) => content),
    caller,
  );
  const pieces: PackItem[] = [];
  for (const { content, said, path } of inOrder(found, kinds)) {
    // The shape of its own kind has passed it.
    const given = said as never;
    const key = content.keyOf(given);
    if (pieces.some((piece) => piece.kind === content && piece.key === key)) {
      throw refusal([{ path, message: `is a second one called ${key}` }]);
    }
    const prepared = await inEnvironmentOf(path, async () =>
      content.prepare?.(platform, given, caller),
    );
    pieces.push({ kind: content, key, content: said, checksum: checksumOf(said), prepared, path });
  }
  return pieces;
}

/** By a pack nobody makes what they may not make by hand. */
export function assertCanInstall(contents: readonly PackContent[], { permissions }: Caller): void {
  const lacking = contents.find(({ permission }) => !permissions.has(permission.name));
  if (!lacking) return;
  throw new Failure(Forbidden, {
    detail: `The pack has ${lacking.kind}, which need the permission ${lacking.permission.name}.`,
  });
}

/** What is wrong with a piece is told with where it stands in the descriptor. */
export async function inEnvironmentOf<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { type, particulars, message } = error;
    const errors = particulars.errors ?? [{ path: "", message }];
    throw new Failure(type, {
      ...particulars,
      detail: `${path}: ${message}`,
      errors: errors.map((fault) => below(path, fault)),
    });
  }
}

function inOrder<T extends { readonly content: PackContent }>(
  all: readonly T[],
  kinds: readonly PackContent[],
): readonly T[] {
  return kinds.flatMap((kind) => all.filter(({ content }) => content === kind));
}

function below(path: string, fault: FieldError): FieldError {
  return { ...fault, path: `${path}${fault.path}` };
}

function refusal(errors: readonly FieldError[]): Failure {
  const [first] = errors;
  return new Failure(Invalid, { detail: `${first?.path} ${first?.message}`, errors });
}

const shapes = new WeakMap<PackContent, Validator>();

function shapeOf(content: PackContent): Validator {
  let shape = shapes.get(content);
  if (!shape) shapes.set(content, (shape = new Validator(content.schema, "body")));
  return shape;
}
