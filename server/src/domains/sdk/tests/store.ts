import type { Tx } from "#kernel/db/connection.ts";
import { Failure } from "#kernel/operation/failure.ts";
import { NoSuchTestCase, type TestCase } from "./test-case.ts";

const FIELDS = [
  "id",
  "artifact_id as artifactId",
  "name",
  "input_payload as inputPayload",
  "expected",
  "mocks",
  "revision",
  "created_at as createdAt",
  "updated_at as updatedAt",
] as const;

/** Lists the test cases of an artifact by name. Their number is limited. */
export async function list(tx: Tx, artifactId: string): Promise<TestCase[]> {
  const rows = await tx
    .selectFrom("artifact_test_cases")
    .select(FIELDS)
    .where("artifact_id", "=", artifactId)
    .orderBy("name")
    .execute();
  // The columns contain only validated input.
  return rows as TestCase[];
}

export async function lock(tx: Tx, artifactId: string, id: string): Promise<TestCase> {
  const row = await tx
    .selectFrom("artifact_test_cases")
    .select(FIELDS)
    .where("artifact_id", "=", artifactId)
    .where("id", "=", id)
    .forUpdate()
    .executeTakeFirst();
  if (!row) throw new Failure(NoSuchTestCase);
  return row as TestCase;
}

export interface TestCaseValues {
  readonly name?: string | undefined;
  readonly inputPayload?: unknown;
  readonly expected?: unknown;
  readonly mocks?: unknown;
}

export async function insert(
  tx: Tx,
  values: Required<TestCaseValues> & {
    readonly id: string;
    readonly artifactId: string;
    readonly at: Date;
  },
): Promise<TestCase> {
  const { id, artifactId, at, name, inputPayload, expected, mocks } = values;
  const row = await tx
    .insertInto("artifact_test_cases")
    .values({
      id,
      artifact_id: artifactId,
      name: name ?? "",
      input_payload: JSON.stringify(inputPayload),
      expected: JSON.stringify(expected),
      mocks: JSON.stringify(mocks),
      created_at: at.toISOString(),
      updated_at: at.toISOString(),
    })
    .returning(FIELDS)
    .executeTakeFirstOrThrow();
  return row as TestCase;
}

export async function update(
  tx: Tx,
  id: string,
  values: TestCaseValues,
  at: Date,
): Promise<TestCase> {
  const { name, inputPayload, expected, mocks } = values;
  const row = await tx
    .updateTable("artifact_test_cases")
    .set((eb) => ({
      ...(name !== undefined && { name }),
      ...(inputPayload !== undefined && { input_payload: JSON.stringify(inputPayload) }),
      ...(expected !== undefined && { expected: JSON.stringify(expected) }),
      ...(mocks !== undefined && { mocks: JSON.stringify(mocks) }),
      updated_at: at.toISOString(),
      revision: eb("revision", "+", 1),
    }))
    .where("id", "=", id)
    .returning(FIELDS)
    .executeTakeFirstOrThrow();
  return row as TestCase;
}

export async function remove(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom("artifact_test_cases").where("id", "=", id).execute();
}
