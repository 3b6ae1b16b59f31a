/** Reads and checks the items of a pack before any transaction. */
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform, PlatformServices } from "#kernel/contract.ts";
import { contributionsTo } from "#kernel/extension-point.ts";
import { Failure, type FieldError, Forbidden, invalidInput } from "#kernel/operation/failure.ts";
import { type PackContent, PackContentPoint } from "#kernel/contributions/pack-content.ts";
import { Validator } from "#kernel/schema/validator.ts";
import {
  checkDescriptor,
  checksumOf,
  type Descriptor,
  listContents,
  PACK_ITEMS_MAX,
} from "./descriptor.ts";

export interface PackItem {
  readonly contentType: PackContent;
  readonly key: string;
  readonly content: unknown;
  readonly checksum: string;
  readonly prepared: unknown;
  /** JSON pointer into the descriptor. */
  readonly path: string;
}

/** All content types, each after the types that it references. */
export function listContentTypes({ contributions }: PlatformServices): readonly PackContent[] {
  const remaining = [...contributionsTo(PackContentPoint, contributions)];
  const ordered: PackContent[] = [];
  while (remaining.length > 0) {
    const ready = remaining.findIndex(
      ({ after = [] }) => !remaining.some(({ kind }) => after.includes(kind)),
    );
    if (ready === -1) throw new Error("Kinds of pack content depend on each other.");
    ordered.push(...remaining.splice(ready, 1));
  }
  return ordered;
}

/** Reads the items of a descriptor in installation order. Throws all field errors. */
export async function readPackItems(
  platform: Platform,
  descriptor: Descriptor,
  caller: Caller,
): Promise<readonly PackItem[]> {
  const contentTypes = listContentTypes(platform);
  const contents = validateContents(descriptor, contentTypes);
  assertCanInstall(
    contents.map(({ contentType }) => contentType),
    caller,
  );
  const ordered = contentTypes.flatMap((type) =>
    contents.filter(({ contentType }) => contentType === type),
  );
  const besideOf = (one: unknown, type: PackContent): never[] =>
    contents
      .filter((other) => other.contentType === type && other.content !== one)
      .map((other) => other.content as never);
  const items: PackItem[] = [];
  for (const { contentType, content, path } of ordered) {
    // Validated by the schema of its own type.
    const input = content as never;
    const key = contentType.keyOf(input);
    if (items.some((item) => item.contentType === contentType && item.key === key)) {
      throw invalidDescriptor([{ path, message: `appears twice: ${key}` }]);
    }
    const prepared = await withErrorPath(path, async () =>
      contentType.prepare?.(platform, input, caller, besideOf(content, contentType)),
    );
    items.push({ contentType, key, content, checksum: checksumOf(content), prepared, path });
  }
  return items;
}

function validateContents(descriptor: Descriptor, contentTypes: readonly PackContent[]) {
  const errors = checkDescriptor(descriptor);
  const contents = listContents(descriptor).flatMap(({ kind, content, path }) => {
    const contentType = contentTypes.find((candidate) => candidate.kind === kind);
    if (!contentType) {
      const names = contentTypes.map((candidate) => candidate.kind).join(", ");
      errors.push({ path: `/resources/${kind}`, message: `must be one of ${names}` });
      return [];
    }
    const checked = validatorFor(contentType).check(content);
    if (!("errors" in checked)) return [{ contentType, content: checked.value, path }];
    for (const error of checked.errors) errors.push(prefixPath(path, error));
    return [];
  });
  if (contents.length > PACK_ITEMS_MAX) {
    errors.push({
      path: "/resources",
      message: `exceeds the limit of ${PACK_ITEMS_MAX} resources`,
    });
  }
  if (errors.length > 0) throw invalidDescriptor(errors);
  return contents;
}

/** Throws unless the caller has the permission to create items of each content type. */
export function assertCanInstall(
  contentTypes: readonly PackContent[],
  { permissions }: Caller,
): void {
  const lacking = contentTypes.find(({ permission }) => !permissions.has(permission.name));
  if (!lacking) return;
  throw new Failure(Forbidden, {
    detail: `The pack contains ${lacking.kind}, which require the permission ${lacking.permission.name}.`,
  });
}

/** Prefixes the field errors of a failure with the item's path in the descriptor. */
export async function withErrorPath<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (failure) {
    if (!(failure instanceof Failure)) throw failure;
    const { type, particulars, message } = failure;
    const errors = particulars.errors ?? [{ path: "", message }];
    throw new Failure(type, {
      ...particulars,
      detail: `${path}: ${message}`,
      errors: errors.map((error) => prefixPath(path, error)),
    });
  }
}

function prefixPath(path: string, error: FieldError): FieldError {
  return { ...error, path: `${path}${error.path}` };
}

function invalidDescriptor(errors: readonly FieldError[]): Failure {
  return invalidInput(errors);
}

const validators = new WeakMap<PackContent, Validator>();

function validatorFor(contentType: PackContent): Validator {
  let validator = validators.get(contentType);
  if (!validator) {
    validators.set(contentType, (validator = new Validator(contentType.schema, "body")));
  }
  return validator;
}
