import { Link, useRouterState } from "@tanstack/react-router";
import { Check, X } from "lucide-react";
import { BASE_PATH } from "../data/place.ts";
import { type NextStep, saveWelcome, useWelcome } from "../data/welcome.ts";

/** Three things to do next, after the first start; gone when they are done or put away. */
export function NextSteps() {
  const welcome = useWelcome();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  if (!welcome || welcome.steps.length === 0 || path === "/welcome") return null;
  const { steps, done } = welcome;
  const finish = (label: string): void =>
    saveWelcome({ ...welcome, done: [...new Set([...done, label])] });
  return (
    <aside className="next-steps" aria-label="Next steps">
      <strong>Next</strong>
      <ol>
        {steps.map((step, n) => (
          <li key={step.label}>
            <Step step={step} n={n + 1} isDone={done.includes(step.label)} onDone={finish} />
          </li>
        ))}
      </ol>
      <button
        className="btn bare icon"
        aria-label="Put the next steps away"
        onClick={() => saveWelcome({ ...welcome, steps: [] })}
      >
        <X />
      </button>
    </aside>
  );
}

function Step(props: {
  readonly step: NextStep;
  readonly n: number;
  readonly isDone: boolean;
  readonly onDone: (label: string) => void;
}) {
  const { label, to, isPage } = props.step;
  const mark = (
    <>
      <span className="next-step-mark">{props.isDone ? <Check className="ico" /> : props.n}</span>
      {label}
    </>
  );
  const className = `next-step${props.isDone ? " done" : ""}`;
  const onClick = (): void => props.onDone(label);
  if (isPage === true) {
    return (
      <a
        className={className}
        href={`${BASE_PATH}${to}`}
        target="_blank"
        rel="noreferrer"
        onClick={onClick}
      >
        {mark}
      </a>
    );
  }
  const [path = "", query = ""] = to.split("?");
  return (
    <Link
      className={className}
      to={path}
      search={Object.fromEntries(new URLSearchParams(query))}
      onClick={onClick}
    >
      {mark}
    </Link>
  );
}
