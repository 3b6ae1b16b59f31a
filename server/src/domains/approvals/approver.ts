/** Configuration of approval steps. */
import Type, { type Static } from "typebox";
import { findMembersByIds } from "#domains/identity/accounts/index.ts";
import { findRoleNames } from "#domains/identity/roles/index.ts";
import { BUILT_IN_ROLES } from "#kernel/access/permission.ts";
import type { Tx } from "#kernel/db/connection.ts";
import type { FieldError } from "#kernel/operation/failure.ts";
import { line, nullable } from "#kernel/schema/schema.ts";

export const STEPS_MAX = 10;
const APPROVERS_MAX = 50;
const EXPIRY_HOURS_MAX = 24 * 365;
const REMINDER_HOURS_MAX = 24 * 30;

export const Approver = Type.Object(
  {
    kind: Type.Enum(["person", "role", "team", "manager"], {
      description: "`manager`: the manager of the person the request is for",
    }),
    id: Type.Optional(nullable(line(100, "Id of the user, role or team"))),
  },
  { title: "Approver", additionalProperties: false },
);
export type Approver = Static<typeof Approver>;

export const RULES = ["any", "all", "quorum"] as const;

/** A step of an approval. Steps run one after the other. */
export const ApprovalStep = Type.Object(
  {
    name: Type.Optional(nullable(line(100))),
    approvers: Type.Array(Approver, { minItems: 1, maxItems: APPROVERS_MAX }),
    rule: Type.Enum([...RULES], {
      default: "any",
      description:
        "`any`: one person; `all`: one person for each approver; `quorum`: a number of people",
    }),
    quorum: Type.Optional(
      nullable(
        Type.Integer({
          minimum: 1,
          maximum: APPROVERS_MAX,
          description:
            "Required number of people. A delegate counts for each approver they represent",
        }),
      ),
    ),
  },
  { title: "ApprovalStep", additionalProperties: false },
);
export type ApprovalStep = Static<typeof ApprovalStep>;

/** Approval settings that apply to all steps. */
export const approvalPlanFields = {
  steps: Type.Optional(
    Type.Array(ApprovalStep, {
      maxItems: STEPS_MAX,
      description: "Steps, one after the other. They replace `approverIds` and `rule`",
    }),
  ),
  expiresAfterHours: Type.Optional(
    nullable(
      Type.Integer({
        minimum: 1,
        maximum: EXPIRY_HOURS_MAX,
        description: "Hours after which a request without a decision is rejected; null: never",
      }),
    ),
  ),
  remindAfterHours: Type.Optional(
    nullable(
      Type.Integer({
        minimum: 1,
        maximum: REMINDER_HOURS_MAX,
        description: "Hours between reminders of the approvers; null: no reminders",
      }),
    ),
  ),
};

/** Validates approval steps. Errors include the path of the field. */
export async function findStepErrors(
  tx: Tx,
  steps: readonly ApprovalStep[],
  path: string,
): Promise<FieldError[]> {
  const named = steps.flatMap(({ approvers }, step) =>
    approvers.map((approver, at) => ({
      ...approver,
      path: `${path}/${step}/approvers/${at}/id`,
    })),
  );
  const idsOf = (kind: Approver["kind"]) =>
    named.flatMap((one) => (one.kind === kind && typeof one.id === "string" ? [one.id] : []));
  const [people, teams, roles] = await Promise.all([
    findMembersByIds(tx, idsOf("person")),
    findTeams(tx, idsOf("team")),
    findRoles(tx, idsOf("role")),
  ]);
  const known = new Set([...people.map(({ id }) => id), ...teams, ...roles]);
  const unknown = named.flatMap(({ kind, id, path: where }) => {
    if (kind === "manager" || (typeof id === "string" && known.has(id))) return [];
    return [{ path: where, message: MESSAGES[kind] }];
  });
  const counts = steps.flatMap((step, index) => {
    const message = findQuorumError(step);
    return message === undefined ? [] : [{ path: `${path}/${index}/quorum`, message }];
  });
  return [...unknown, ...counts];
}

function findQuorumError({ rule, quorum, approvers }: ApprovalStep): string | undefined {
  if (rule !== "quorum") return undefined;
  if (typeof quorum !== "number") return "must be the number of required approvers";
  // A role or a team can have any number of people.
  if (approvers.some(({ kind }) => kind === "role" || kind === "team")) return undefined;
  const people = new Set(approvers.map(({ kind, id }) => (kind === "person" ? id : kind)));
  return quorum > people.size ? "must be at most the number of approvers" : undefined;
}

const MESSAGES = {
  person: "is not the id of an active member",
  role: "is not the id of a role",
  team: "is not the id of a team",
} as const;

async function findTeams(tx: Tx, ids: readonly string[]): Promise<readonly string[]> {
  if (ids.length === 0) return [];
  const rows = await tx.selectFrom("teams").select("id").where("id", "in", ids).execute();
  return rows.map(({ id }) => id);
}

async function findRoles(tx: Tx, ids: readonly string[]): Promise<readonly string[]> {
  const builtIn: readonly string[] = BUILT_IN_ROLES;
  const custom = ids.filter((id) => !builtIn.includes(id));
  const found = await Promise.all(
    custom.map(async (id) => ((await findRoleNames(tx, [id])).length > 0 ? [id] : [])),
  );
  return [...builtIn, ...found.flat()];
}
