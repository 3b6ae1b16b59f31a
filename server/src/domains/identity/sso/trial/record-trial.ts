import type { WriteContext } from "#kernel/contract.ts";
import { SsoTested } from "../events.ts";
import { LoginRefused } from "../login/failure.ts";
import { foretellMember, type ProvenIdentity } from "../login/provision-member.ts";
import type { WorkspaceSso } from "../store.ts";
import * as store from "../store.ts";
import { toTrialError } from "./trial-error.ts";
import type { Trial } from "./trial.ts";

/** Records the result of a test login: runs all checks of a login without its effects. */
export async function recordTrial(
  ctx: WriteContext<typeof SsoTested>,
  sso: WorkspaceSso,
  trial: {
    readonly startedBy: string;
    readonly proven: ProvenIdentity | LoginRefused;
    readonly ref: { readonly id: string; readonly displayName: string };
  },
): Promise<void> {
  const { startedBy, proven, ref } = trial;
  const result = await describeTrial(ctx, sso, { startedBy, proven });
  await store.putTrial(ctx.tx, result, sso.revision);
  const { protocol } = sso;
  const { succeeded, claims, errors } = result;
  ctx.emit(SsoTested, ref, {
    protocol,
    succeeded,
    startedBy,
    reasons: errors.map(({ code }) => code),
    address: ctx.caller.address,
    ...(claims && { email: claims.email }),
  });
}

async function describeTrial(
  ctx: WriteContext<typeof SsoTested>,
  sso: WorkspaceSso,
  { startedBy, proven }: { startedBy: string; proven: ProvenIdentity | LoginRefused },
): Promise<Trial> {
  const common = { at: ctx.now.toISOString(), startedBy };
  if (proven instanceof LoginRefused) {
    return {
      ...common,
      succeeded: false,
      claims: null,
      account: null,
      errors: [toTrialError(proven)],
    };
  }
  const { email, name, subject, roles } = proven.identity;
  const claims = { email, name, subject: subject?.id ?? null, roles: [...roles] };
  const { account, refusal } = await foretellMember(ctx, sso, proven);
  return {
    ...common,
    succeeded: refusal === undefined,
    claims,
    account: account ? { ...account, isOwn: account.userId === startedBy } : null,
    errors: refusal ? [toTrialError(refusal)] : [],
  };
}
