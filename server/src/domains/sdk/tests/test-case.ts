/** A test case of an artifact: an input, the expected output, and mocks of host calls. */
import Type, { type Static } from "typebox";
import { failure } from "#kernel/operation/failure.ts";
import { HOST_METHODS } from "#kernel/sandbox/script.ts";
import { id, line, nullable, object, Time } from "#kernel/schema/schema.ts";
import { ArtifactId } from "../artifacts/artifact.ts";

export const TEST_CASES_MAX = 200;
const MOCKS_MAX = 50;

export const TestCaseId = id("atc");

const AnyObject = Type.Record(Type.String(), Type.Unknown());

const Mock = object(
  {
    args: Type.Optional(
      Type.Array(Type.Unknown(), {
        maxItems: 10,
        description: "Only a call with these arguments first; any when absent",
      }),
    ),
    returns: Type.Optional(Type.Unknown()),
    throws: Type.Optional(line(1_000, "The call fails with this message")),
  },
  { title: "ArtifactMock" },
);
export type Mock = Static<typeof Mock>;

export const Mocks = Type.Partial(
  Type.Object(
    Object.fromEntries(
      HOST_METHODS.map((method) => [
        method,
        Type.Array(Mock, { minItems: 1, maxItems: MOCKS_MAX }),
      ]),
    ) as Record<(typeof HOST_METHODS)[number], ReturnType<typeof Type.Array<typeof Mock>>>,
    { additionalProperties: false },
  ),
  {
    title: "ArtifactMocks",
    description:
      "By the call that they stand in for, such as `http.request`: the first that fits answers. A " +
      "call that none stands in for fails.",
  },
);
export type Mocks = Static<typeof Mocks>;

export const NewTestCase = {
  name: line(200),
  inputPayload: AnyObject,
  expected: Type.Unsafe<Readonly<Record<string, unknown>>>({
    ...AnyObject,
    description: "The whole output; or `{ runtimeError: { name } }` or `{ abortReason }`, alone",
  }),
  mocks: Type.Optional(Mocks),
};

/** An unsaved case. */
export const NewTestCaseBody = object(NewTestCase);

export const TestCase = Type.Object(
  {
    id: TestCaseId,
    artifactId: ArtifactId,
    name: Type.String(),
    inputPayload: AnyObject,
    expected: AnyObject,
    mocks: Type.Unsafe<Mocks>(AnyObject),
    createdAt: Time,
    updatedAt: Time,
  },
  { title: "ArtifactTestCase" },
);
export type TestCase = Static<typeof TestCase> & { readonly revision: number };

export const TestResult = Type.Object(
  {
    testCaseId: TestCaseId,
    name: Type.String(),
    passed: Type.Boolean(),
    durationMs: Type.Integer(),
    diff: Type.Array(
      Type.Object({ path: Type.String(), expected: Type.Unknown(), actual: Type.Unknown() }),
    ),
    runtimeError: nullable(Type.Object({ name: Type.String(), message: Type.String() })),
  },
  { title: "ArtifactTestResult" },
);
export type TestResult = Static<typeof TestResult>;

export const NoSuchTestCase = failure("not_found", 404, "There is no such test case.");
export const TestCaseExists = failure(
  "test_case_exists",
  409,
  "The artifact has a test case of this name.",
  "artifact_test_cases_name",
);
export const TooManyTestCases = failure(
  "too_many_test_cases",
  409,
  `An artifact has at most ${TEST_CASES_MAX} test cases.`,
);
