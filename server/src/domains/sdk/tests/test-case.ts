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
        description: "Only for calls with these arguments. Default: any",
      }),
    ),
    returns: Type.Optional(Type.Unknown()),
    throws: Type.Optional(line(1_000, "Error message of the call")),
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
      "Mocks by call name. Example: `http.request`. The first matching mock is used. Calls without a mock fail.",
  },
);
export type Mocks = Static<typeof Mocks>;

export const NewTestCase = {
  name: line(200),
  inputPayload: AnyObject,
  expected: Type.Unsafe<Readonly<Record<string, unknown>>>({
    ...AnyObject,
    description: "The expected output; or only `{ runtimeError: { name } }` or `{ abortReason }`",
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

export const NoSuchTestCase = failure(
  "not_found",
  404,
  "The test case does not exist, or you can't see it.",
);
export const TestCaseExists = failure(
  "test_case_exists",
  409,
  "The artifact already has a test case with this name.",
  "artifact_test_cases_name",
);
export const TooManyTestCases = failure(
  "too_many_test_cases",
  409,
  `An artifact can have at most ${TEST_CASES_MAX} test cases.`,
);
