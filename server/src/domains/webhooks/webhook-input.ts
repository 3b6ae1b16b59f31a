import Type, { type Static } from "typebox";
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { checkCondition } from "#kernel/condition/condition.ts";
import { isPattern } from "#kernel/condition/event-pattern.ts";
import { Failure, type FieldError, Invalid } from "#kernel/operation/failure.ts";
import { OutboundRefused } from "#kernel/outbound/outbound.ts";
import { nullable, object, patch } from "#kernel/schema/schema.ts";
import { faultsOfHeaders, faultsOfReferences } from "./header.ts";
import { faultOfSecret } from "./secret.ts";
import { respelt, Secret, settings, SPELLINGS, Status, twofold } from "./webhook.ts";

const fields = {
  ...settings,
  ...twofold,
  ...respelt,
  secret: nullable(Secret),
  status: Status,
};
const { name, url, events, ...optional } = fields;

export const NewWebhook = object({
  name,
  url,
  events,
  ...Type.Partial(Type.Object(optional)).properties,
});
export const WebhookChange = patch(fields);

const Fields = Type.Object({ ...settings, ...twofold, secret: nullable(Secret), status: Status });

/** What a caller wants a webhook to be, in one spelling. */
export type WebhookInput = Partial<Static<typeof Fields>>;

/** The workspace that a webhook is of; an operation on webhooks always has one. */
export function workspaceOf({ workspace }: Caller): string {
  if (!workspace) throw new Error("A webhook belongs to a workspace.");
  return workspace.key;
}

/** Reads what a caller sent; throws a failure that names every fault of it. */
export async function parseWebhookInput(
  platform: Platform,
  caller: Caller,
  body: Static<typeof WebhookChange>,
): Promise<WebhookInput> {
  const { draft, faults } = inOneSpelling(body);
  assertNoFaults([...faults, ...(await faultsOf(platform, caller, draft))]);
  return draft;
}

export function assertNoFaults(faults: readonly FieldError[]): void {
  const [first] = faults;
  if (!first) return;
  throw new Failure(Invalid, { detail: `${first.path} ${first.message}`, errors: faults });
}

/** What is wrong with a subscription, which a preview takes too. */
export function faultsOfSubscription(draft: Pick<WebhookInput, "events" | "filter">): FieldError[] {
  const { events: patterns = [], filter } = draft;
  const wrong = patterns.flatMap((pattern, index) =>
    isPattern(pattern)
      ? []
      : [{ path: `/events/${index}`, message: "is no event type, and no pattern of them" }],
  );
  const inFilter = filter ? checkCondition(filter) : [];
  return [...wrong, ...inFilter.map(({ path, message }) => ({ path: `/filter${path}`, message }))];
}

async function faultsOf(
  platform: Platform,
  caller: Caller,
  draft: WebhookInput,
): Promise<FieldError[]> {
  const { headers = {}, secret } = draft;
  const ofSecret = typeof secret === "string" ? faultOfSecret(secret) : undefined;
  return [
    ...faultsOfUrl(platform, draft.url),
    ...faultsOfSubscription(draft),
    ...faultsOfHeaders(headers),
    ...(await faultsOfReferences(platform, workspaceOf(caller), headers)),
    ...(ofSecret === undefined ? [] : [{ path: "/secret", message: ofSecret }]),
  ];
}

function faultsOfUrl({ outbound }: Platform, given: string | undefined): FieldError[] {
  if (given === undefined) return [];
  try {
    outbound.check({ url: given });
    return [];
  } catch (error) {
    if (error instanceof OutboundRefused) return [{ path: "/url", message: error.message }];
    throw error;
  }
}

type Body = Static<typeof WebhookChange>;

function inOneSpelling(body: Body): {
  readonly draft: WebhookInput;
  readonly faults: readonly FieldError[];
} {
  const { retry_strategy, retry_max_delay_ms, timeout_ms, max_per_second, ...rest } = body;
  const theirs = { retry_strategy, retry_max_delay_ms, timeout_ms, max_per_second };
  const faults: FieldError[] = [];
  const filled: Record<string, unknown> = {};
  for (const [ours, other] of Object.entries(SPELLINGS)) {
    const values = [rest[ours as keyof typeof SPELLINGS], theirs[other]];
    const [first, second] = values.filter((value) => value !== undefined);
    if (second !== undefined && first !== second) {
      faults.push({ path: `/${ours}`, message: `must be the same as ${other}` });
      faults.push({ path: `/${other}`, message: `must be the same as ${ours}` });
    }
    if (first !== undefined) filled[ours] = first;
  }
  // The fields of `filled` are those of `theirs` under our names, whose schemas are the same.
  return { draft: { ...rest, ...filled } as WebhookInput, faults };
}
