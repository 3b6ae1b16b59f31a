import { useState } from "react";
import { CodeEditor } from "../../code/index.ts";
import { call, type Schemas } from "../../data/api.ts";
import { Field } from "../../ui/field.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { parseObject } from "../artifact-type.ts";
import { Button } from "../../ui/form/button.tsx";
import { TextInput } from "../../ui/form/controls.tsx";

type TestCase = Schemas["ArtifactTestCase"];

interface TestDialogProps {
  readonly artifactId: string;
  readonly testCase: TestCase | undefined;
  readonly input: string;
  readonly onClose: () => void;
}

const toText = (value: unknown): string => JSON.stringify(value, null, 2);

/** A test case: an input, what it should give, and answers in the place of calls. */
export function TestDialog({ artifactId: id, testCase, input, onClose }: TestDialogProps) {
  const [name, setName] = useState(testCase?.name ?? "");
  const [payload, setPayload] = useState(testCase ? toText(testCase.inputPayload) : input);
  const [expected, setExpected] = useState(testCase ? toText(testCase.expected) : "{}");
  const [mocks, setMocks] = useState(testCase ? toText(testCase.mocks) : "{}");
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const values = [payload, expected, mocks].map(parseObject);
  const [inputPayload, wanted, answers] = values;
  const isReady = name.trim() !== "" && !values.includes(undefined) && !isBusy;
  const save = async (): Promise<void> => {
    if (!inputPayload || !wanted || !answers) return;
    setBusy(true);
    setProblem(undefined);
    const body = { name: name.trim(), inputPayload, expected: wanted, mocks: answers as never };
    try {
      if (testCase) {
        const params = { id, testCaseId: testCase.id };
        await call("artifacts.update_test_case", { params, body });
      } else await call("artifacts.create_test_case", { params: { id }, body });
      onClose();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      setBusy(false);
    }
  };
  const texts = [
    { label: "Input", value: payload, set: setPayload },
    { label: "Expected output", value: expected, set: setExpected },
    { label: "Mocks", value: mocks, set: setMocks },
  ];
  return (
    <Dialog
      title={testCase ? testCase.name : "New test"}
      isWide
      onClose={onClose}
      onSubmit={() => isReady && void save()}
      footer={
        <Button look="main" disabled={!isReady}>
          Save
        </Button>
      }
    >
      <Field label="Name" error={problem}>
        {(bound) => (
          <TextInput
            {...bound}
            maxLength={200}
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        )}
      </Field>
      {texts.map(({ label, value, set }) => (
        <div key={label} className="field-box">
          <span className="field-label">{label}</span>
          <CodeEditor
            label={label}
            language="json"
            isBlock
            value={value}
            isInvalid={parseObject(value) === undefined}
            onChange={set}
          />
        </div>
      ))}
      <p className="field-help">
        Mocks answer calls of the context by their names, such as{" "}
        <code>{'{ "http.request": [{ "returns": { "status": 200 } }] }'}</code>. A call without one
        fails.
      </p>
    </Dialog>
  );
}
