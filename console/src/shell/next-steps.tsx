import { Link, useRouterState } from "@tanstack/react-router";
import { Check, X } from "lucide-react";
import { useEffect } from "react";
import { onEvent } from "../data/live/live.ts";
import { BASE_PATH } from "../data/place.ts";
import {
  isCompletedBy,
  type NextStep,
  saveWelcome,
  useWelcome,
  type WelcomeState,
} from "../data/welcome.ts";
import { Button } from "../ui/form/button.tsx";

/** Suggested steps after the first start; hidden when they are completed or dismissed. */
export function NextSteps() {
  const welcome = useWelcome();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  useCompletion(welcome, path);
  if (!welcome || welcome.steps.length === 0 || path === "/welcome") return null;
  const { steps, done } = welcome;
  return (
    <aside className="next-steps" aria-label="Next steps">
      <strong>Next</strong>
      <ol>
        {steps.map((step, n) => (
          <li key={step.label}>
            <Step
              step={step}
              n={n + 1}
              isDone={done.includes(step.label)}
              onOpen={() => finish(welcome, [step])}
            />
          </li>
        ))}
      </ol>
      <Button
        look="bare"
        isIcon
        aria-label="Hide next steps"
        onClick={() => saveWelcome({ ...welcome, steps: [] })}
      >
        <X />
      </Button>
    </aside>
  );
}

function finish(welcome: WelcomeState, steps: readonly NextStep[]): void {
  const labels = steps.map(({ label }) => label).filter((label) => !welcome.done.includes(label));
  if (labels.length > 0) saveWelcome({ ...welcome, done: [...welcome.done, ...labels] });
}

/** Completes a step when its location was visited or its event occurred. */
function useCompletion(welcome: WelcomeState | undefined, path: string): void {
  useEffect(() => {
    if (!welcome) return;
    finish(
      welcome,
      welcome.steps.filter((step) => isCompletedBy(step, { path })),
    );
    return onEvent((event) =>
      finish(
        welcome,
        welcome.steps.filter((step) => isCompletedBy(step, { event })),
      ),
    );
  }, [welcome, path]);
}

function Step(props: {
  readonly step: NextStep;
  readonly n: number;
  readonly isDone: boolean;
  /** Only for pages outside the console, because the new tab can't report it. */
  readonly onOpen: () => void;
}) {
  const { label, to, isPage } = props.step;
  const mark = (
    <>
      <span className="next-step-mark">{props.isDone ? <Check className="ico" /> : props.n}</span>
      {label}
    </>
  );
  const className = `next-step${props.isDone ? " done" : ""}`;
  if (isPage === true) {
    return (
      <a
        className={className}
        href={`${BASE_PATH}${to}`}
        target="_blank"
        rel="noreferrer"
        onClick={props.onOpen}
      >
        {mark}
      </a>
    );
  }
  const [path = "", query = ""] = to.split("?");
  return (
    <Link className={className} to={path} search={Object.fromEntries(new URLSearchParams(query))}>
      {mark}
    </Link>
  );
}
