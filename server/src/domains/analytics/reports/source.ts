import type { SqlParameters } from "#kernel/db/statement.ts";
import { Failure, Forbidden, Invalid, invalidField } from "#kernel/operation/failure.ts";
import {
  type OpenReportSource,
  type ReportRequest,
  type ReportSource,
  reportSourcesOf,
} from "#kernel/contributions/report-source.ts";
import { Validator } from "#kernel/schema/validator.ts";
import type { Platform } from "#kernel/contract.ts";
import type { Source } from "./report.ts";

/** The kind of a source. */
export function sourceType(
  platform: Pick<Platform, "contributions">,
  { kind }: Source,
): ReportSource {
  const sources = reportSourcesOf(platform);
  const found = sources.get(kind);
  if (!found) {
    throw invalidField(
      "/source/kind",
      `must be one of ${[...sources.keys()].toSorted().join(", ")}`,
    );
  }
  return found;
}

/** Throws unless it is of a kind that there is, and says what that kind needs. */
export function assertSource(platform: Pick<Platform, "contributions">, source: Source): void {
  given(sourceType(platform, source), source);
}

/** A source as the caller sees it; throws where it is none, or none of theirs. */
export async function openSource(
  asking: ReportRequest,
  source: Source,
  parameters: SqlParameters,
): Promise<OpenReportSource> {
  const type = sourceType(asking.platform, source);
  assertHeld(asking, type, source);
  // What its own schema has checked is of its type.
  return type.open(asking, given(type, source) as never, parameters);
}

type Asking = Pick<ReportRequest, "caller"> & {
  readonly platform: Pick<Platform, "contributions">;
};

/** Throws unless the caller holds what such rows need; of a kind that is no more, nobody does. */
export function assertMaySee(asking: Asking, source: Source): void {
  assertHeld(asking, sourceType(asking.platform, source), source);
}

function assertHeld({ platform, caller }: Asking, type: ReportSource, source: Source): void {
  // What its own schema has checked is of its type.
  const further = type.needs?.(platform, given(type, source) as never);
  const missing = [type.permission, ...(further ?? [])].find(
    ({ name }) => !caller.permissions.has(name),
  );
  if (!missing) return;
  throw new Failure(Forbidden, {
    detail: `To see ${type.kind} needs the permission ${missing.name}.`,
  });
}

const shapes = new WeakMap<ReportSource, Validator>();

function given(type: ReportSource, { kind: _, ...rest }: Source): unknown {
  let shape = shapes.get(type);
  if (!shape) shapes.set(type, (shape = new Validator(type.schema, "body")));
  const checked = shape.check(rest);
  if ("value" in checked) return checked.value;
  const errors = checked.errors.map(({ path, message }) => ({ path: `/source${path}`, message }));
  throw new Failure(Invalid, { detail: `${errors[0]?.path} ${errors[0]?.message}`, errors });
}
