/** Edits the outputs and switch cases of a step. Renaming a case keeps the edges. */
import { CornerDownRight, Plus, X } from "lucide-react";
import { type KeyboardEvent, useState } from "react";
import { branchesOf, type Graph, type Step } from "../../graph/graph.ts";
import { Button } from "../../../ui/form/button.tsx";
import { TextInput } from "../../../ui/form/controls.tsx";

interface BranchesProps {
  readonly step: Step;
  readonly graph: Graph;
  readonly mayEdit: boolean;
  readonly onCases: (cases: readonly unknown[]) => void;
}

export function Branches({ step, graph, mayEdit, onCases }: BranchesProps) {
  const branches = branchesOf(step);
  if (branches.length === 0) return null;
  const cases = step.type === "switch" ? casesOf(step) : [];
  const rename = (n: number, text: string): void => {
    if (text === "" || cases.map(String).includes(text)) return;
    onCases(cases.with(n, text));
  };
  return (
    <section className="inspector-branches" aria-label="Outputs">
      <h2>Outputs</h2>
      <ol>
        {branches.map((branch, n) => (
          <li key={n}>
            {n < cases.length ? (
              <CaseName name={branch} isDisabled={!mayEdit} onRename={(text) => rename(n, text)} />
            ) : (
              <span className={branch === "error" ? "branch-name bad" : "branch-name"}>
                {branch}
              </span>
            )}
            <CornerDownRight className="ico" />
            <span className="grow cut muted">{targetsOf(graph, step, branch)}</span>
            {n < cases.length && cases.length > 1 && mayEdit && (
              <Button
                look="bare"
                isIcon
                type="button"
                aria-label={`Remove case ${branch}`}
                onClick={() => onCases(cases.toSpliced(n, 1))}
              >
                <X />
              </Button>
            )}
          </li>
        ))}
      </ol>
      {step.type === "switch" && mayEdit && (
        <Button
          className="inspector-add"
          type="button"
          onClick={() => onCases([...cases, freeCase(cases)])}
        >
          <Plus />
          Add case
        </Button>
      )}
    </section>
  );
}

function casesOf({ config }: Step): readonly unknown[] {
  const cases = config?.["cases"];
  return Array.isArray(cases) ? cases : [];
}

function freeCase(cases: readonly unknown[]): string {
  const taken = new Set(cases.map(String));
  for (let n = cases.length + 1; ; n += 1) if (!taken.has(`case ${n}`)) return `case ${n}`;
}

function targetsOf(graph: Graph, { id }: Step, branch: string): string {
  const names = graph.edges
    .filter(({ from, when }) => from === id && when === branch)
    .map(({ to }) => graph.nodes.find((step) => step.id === to)?.name ?? to);
  return names.length === 0 ? "not connected" : names.join(", ");
}

/** Saved on blur because a partly typed name can equal another case. */
function CaseName(props: {
  readonly name: string;
  readonly isDisabled: boolean;
  readonly onRename: (name: string) => void;
}) {
  const [typed, setTyped] = useState<string>();
  const finish = (): void => {
    if (typed !== undefined) props.onRename(typed.trim());
    setTyped(undefined);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Escape") setTyped(undefined);
    else if (event.key !== "Enter") return;
    else finish();
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <TextInput
      className="branch-name"
      aria-label={`Case ${props.name}`}
      disabled={props.isDisabled}
      value={typed ?? props.name}
      onChange={({ target }) => setTyped(target.value)}
      onKeyDown={onKeyDown}
      onBlur={finish}
    />
  );
}
