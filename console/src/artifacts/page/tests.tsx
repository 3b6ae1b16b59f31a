import { Check, FlaskConical, Pencil, Trash2, X } from "lucide-react";
import { useState } from "react";
import { type Schemas, useOp } from "../../data/api.ts";
import { useRefusal } from "../../data/people.ts";
import { useCommand } from "../../data/use-command.ts";
import { Empty, ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { count, toDuration } from "../../ui/words.ts";
import { TestDialog } from "./test-dialog.tsx";
import { Button } from "../../ui/form/button.tsx";
import { CommandButton } from "../../ui/form/command-button.tsx";

type TestCase = Schemas["ArtifactTestCase"];
type Result = Schemas["ArtifactTestResult"];

interface TestsProps {
  readonly artifactId: string;
  /** The input of the run panel, which new test cases start with. */
  readonly input: string;
  readonly beforeRun: () => Promise<boolean>;
}

/** Test cases next to the source. They do not call other systems: calls of the context are mocked. */
export function Tests({ artifactId: id, input, beforeRun }: TestsProps) {
  const { data, error, isPending, refetch } = useOp("artifacts.list_test_cases", {
    params: { id },
  });
  const [results, setResults] = useState<ReadonlyMap<string, Result>>(new Map());
  const [open, setOpen] = useState<TestCase | "new">();
  const runAll = useCommand("artifacts.run_test_cases", {
    refusal: data?.data.length === 0 ? "Add a test first." : undefined,
    said: ({ data: { passed, failed } }) =>
      failed === 0 ? `${count(passed, "test")} passed.` : `${failed} of ${passed + failed} failed.`,
    onDone: ({ data: { results: all } }) =>
      setResults(new Map(all.map((one) => [one.testCaseId, one]))),
  });
  const run = async (): Promise<void> => {
    if (await beforeRun()) await runAll.run({ params: { id } });
  };
  const refusal = useRefusal("artifacts.create_test_case");
  const remove = useCommand("artifacts.delete_test_case");
  if (error) return <ErrorNotice error={error} retry={() => void refetch()} />;
  if (isPending) return <Loading rows={4} />;
  const cases = data.data;
  return (
    <div className="art-panel scroll">
      <div className="row">
        <CommandButton command={runAll} isMain onPress={() => void run()}>
          <FlaskConical /> {runAll.isBusy ? "Running…" : "Run all tests"}
        </CommandButton>
        <Button refusal={refusal} onClick={() => setOpen("new")}>
          New test
        </Button>
      </div>
      {cases.length === 0 && (
        <Empty title="No tests yet">
          A test compares the output for an input with the expected output.
        </Empty>
      )}
      <ul className="art-tests" aria-live="polite">
        {cases.map((testCase) => (
          <li key={testCase.id}>
            <div className="art-test">
              <Verdict result={results.get(testCase.id)} />
              <span className="grow cut">{testCase.name}</span>
              <Button
                look="bare"
                isIcon
                aria-label={`Edit ${testCase.name}`}
                refusal={refusal}
                onClick={() => setOpen(testCase)}
              >
                <Pencil />
              </Button>
              <CommandButton
                look="bare"
                isIcon
                aria-label={`Delete ${testCase.name}`}
                command={remove}
                onPress={() => void remove.run({ params: { id, testCaseId: testCase.id } })}
              >
                <Trash2 />
              </CommandButton>
            </div>
            <Difference result={results.get(testCase.id)} />
          </li>
        ))}
      </ul>
      {open && (
        <TestDialog
          artifactId={id}
          testCase={open === "new" ? undefined : open}
          input={input}
          onClose={() => setOpen(undefined)}
        />
      )}
    </div>
  );
}

function Verdict({ result }: { readonly result: Result | undefined }) {
  if (!result) return <span className="tag plain idle">Not run</span>;
  return result.passed ? (
    <span className="tag plain ok">
      <Check className="ico" /> {toDuration(result.durationMs)}
    </span>
  ) : (
    <span className="tag plain bad">
      <X className="ico" /> Failed
    </span>
  );
}

function Difference({ result }: { readonly result: Result | undefined }) {
  if (!result || result.passed) return null;
  const { diff, runtimeError } = result;
  return (
    <div className="art-difference">
      {runtimeError && (
        <p className="field-error">
          {runtimeError.name}: {runtimeError.message}
        </p>
      )}
      {diff.map(({ path, expected, actual }) => (
        <p key={path} className="mono">
          {path || "/"}: <del>{JSON.stringify(expected) ?? "no value"}</del> →{" "}
          <ins>{JSON.stringify(actual) ?? "no value"}</ins>
        </p>
      ))}
    </div>
  );
}
