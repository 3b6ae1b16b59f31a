import Type, { type Static } from "typebox";
import { EVERY_ROLE, permission } from "#kernel/access/permission.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { Time } from "#kernel/schema/schema.ts";

export const DeskRead = permission("desk:read", "View teams and desk settings", EVERY_ROLE);
export const DeskWrite = permission("desk:write", "Manage teams and desk settings", []);

/** 1 is the highest. */
export const Level = Type.Integer({
  minimum: 1,
  maximum: 3,
  description: "1 high, 2 medium, 3 low",
});
export const Priority = Type.Integer({
  minimum: 1,
  maximum: 5,
  description:
    "Priority from 1 (critical) to 5 (planning), calculated from impact and urgency with the priority matrix",
});

const MatrixRow = Type.Array(Priority, { minItems: 3, maxItems: 3 });

export const settingsFields = {
  priorityMatrix: Type.Array(MatrixRow, {
    minItems: 3,
    maxItems: 3,
    description:
      "One row for each impact from 1 to 3. Each row contains one priority (1 to 3) for each urgency",
  }),
  autoCloseDays: Type.Integer({
    minimum: 0,
    maximum: 365,
    description:
      "Number of days after which resolved incidents are closed automatically; 0 for never",
  }),
};

export const TicketSettings = Type.Object(
  { ...settingsFields, updatedAt: Type.Optional(Time) },
  { title: "DeskSettings" },
);
export type TicketSettings = Static<typeof TicketSettings> & { readonly revision: number };

/** Priority = impact + urgency − 1. */
export const DEFAULT_SETTINGS: TicketSettings = {
  priorityMatrix: [
    [1, 2, 3],
    [2, 3, 4],
    [3, 4, 5],
  ],
  autoCloseDays: 7,
  revision: 0,
};

/** Reads the ticket settings of the workspace. */
export async function readTicketSettings(tx: Tx): Promise<TicketSettings> {
  const row = await tx.selectFrom("desk_settings").selectAll().executeTakeFirst();
  if (!row) return DEFAULT_SETTINGS;
  return {
    // Validated by its schema when it was saved.
    priorityMatrix: row.priority_matrix as number[][],
    autoCloseDays: row.auto_close_days,
    updatedAt: row.updated_at,
    revision: row.revision,
  };
}

/** Looks the priority up in the matrix. */
export function computePriority(
  { priorityMatrix }: TicketSettings,
  impact: number,
  urgency: number,
): number {
  const priority = priorityMatrix[impact - 1]?.[urgency - 1];
  if (priority === undefined) throw new Error("The matrix has a priority for each pair.");
  return priority;
}
