import { fieldWords } from "../graph/problem-words.ts";
import type { DefinitionProblem } from "./problems.ts";

/** Shown below the fields: above them, new problems would move the field under an open completion list. */
export function Problems({ problems }: { readonly problems: readonly DefinitionProblem[] }) {
  if (problems.length === 0) return null;
  return (
    <ul className="inspector-problems" aria-label="Problems">
      {problems.map(({ path, message, isWarning }) => (
        <li key={path + message} className={isWarning ? "warn" : "bad"}>
          <b>{fieldWords(path) || "Step"}</b> {message}
        </li>
      ))}
    </ul>
  );
}
