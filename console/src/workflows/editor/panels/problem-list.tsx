import { CircleAlert, TriangleAlert } from "lucide-react";
import { Empty } from "../../../ui/feedback.tsx";
import type { Definition } from "../../graph/graph.ts";
import { fieldWords, placeOfProblem } from "../../graph/problem-words.ts";
import type { Problem } from "../../graph/problems.ts";
import { PlainButton } from "../../../ui/form/button.tsx";

interface ProblemListProps {
  readonly problems: readonly Problem[];
  readonly definition: Definition;
  readonly onJump: (problem: Problem) => void;
}

/** Lists the errors and warnings of the draft; each links to its field. */
export function ProblemList({ problems, definition, onJump }: ProblemListProps) {
  if (problems.length === 0) {
    return <Empty title="No problems">The draft can be saved, tested and deployed.</Empty>;
  }
  return (
    <ul className="problem-list scroll">
      {problems.map((problem) => (
        <li key={problem.path + problem.message}>
          <PlainButton onClick={() => onJump(problem)}>
            {problem.severity === "warning" ? (
              <TriangleAlert className="ico warn" aria-label="Warning" />
            ) : (
              <CircleAlert className="ico bad" aria-label="Problem" />
            )}
            <span>
              <b>{placeOfProblem(definition, problem.key)}</b>
              {problem.field !== "" && <span className="muted"> {fieldWords(problem.field)}</span>}
              <span className="problem-text">{problem.message}</span>
            </span>
          </PlainButton>
        </li>
      ))}
    </ul>
  );
}
