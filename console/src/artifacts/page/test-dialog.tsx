import { CodeField } from "../../code/index.ts";
import type { Schemas } from "../../data/api.ts";
import { useForm } from "../../data/form/use-form.ts";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { TextField } from "../../ui/form/text-field.tsx";
import { parseObject } from "../artifact-type.ts";

type TestCase = Schemas["ArtifactTestCase"];

interface TestDialogProps {
  readonly artifactId: string;
  readonly testCase: TestCase | undefined;
  readonly input: string;
  readonly onClose: () => void;
}

const FIELDS = [
  ["inputPayload", "Input"],
  ["expected", "Expected output"],
  ["mocks", "Mocks"],
] as const;

type TestDraft = Readonly<Record<"name" | (typeof FIELDS)[number][0], string>>;

const toText = (value: unknown): string => JSON.stringify(value, null, 2);
const toObject = (text: string): Record<string, unknown> => ({ ...parseObject(text) });

/** A test case: input, expected result, and mocked responses of calls. */
export function TestDialog({ artifactId: id, testCase, input, onClose }: TestDialogProps) {
  const form = useForm(testCase ? "artifacts.update_test_case" : "artifacts.create_test_case", {
    params: { id, testCaseId: testCase?.id ?? "" },
    initial: {
      name: testCase?.name ?? "",
      inputPayload: testCase ? toText(testCase.inputPayload) : input,
      expected: toText(testCase?.expected ?? {}),
      mocks: toText(testCase?.mocks ?? {}),
    },
    toBody: ({ name, inputPayload, expected, mocks }: TestDraft) => ({
      name,
      inputPayload: toObject(inputPayload),
      expected: toObject(expected),
      // The server validates the mocked responses.
      mocks: toObject(mocks) as never,
    }),
    check: (draft) =>
      Object.fromEntries(
        FIELDS.flatMap(([name]) =>
          parseObject(draft[name]) ? [] : [[name, "must be a JSON object"]],
        ),
      ),
    onDone: onClose,
  });
  return (
    <FormDialog form={form} title={testCase?.name ?? "New test"} isWide onClose={onClose}>
      <TextField {...form.field("name")} />
      {FIELDS.map(([name, label]) => (
        <CodeField key={name} {...form.field(name)} label={label} language="json" isRequired />
      ))}
      <p className="field-help">
        Mocks replace calls of the script by name. Example:{" "}
        <code>{'{ "http.request": [{ "returns": { "status": 200 } }] }'}</code>. Calls without a
        mock fail.
      </p>
    </FormDialog>
  );
}
