import "./past.css";
import { ChevronLeft, ChevronRight, History } from "lucide-react";
import { type ReactNode, useEffect, useRef } from "react";
import { useActions } from "../shell/actions.ts";
import { toIsoTime, toLocalTime } from "../ui/local-time.ts";
import { neighboursOf } from "./moment.ts";
import { Button } from "../ui/form/button.tsx";
import { TextInput } from "../ui/form/controls.tsx";

const FORMAT = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });

interface PastBannerProps {
  readonly at: string;
  /** The known times of changes. */
  readonly moments: readonly string[];
  /** Shows another point in time, or the present. */
  readonly onChange: (at: string | undefined) => void;
}

/** Shows that a past version is displayed, with links to the previous and next change and back to the present. */
export function PastBanner({ at, moments, onChange }: PastBannerProps) {
  const { before, after } = neighboursOf(at, moments);
  const leave = (): void => onChange(undefined);
  const back = useRef<HTMLButtonElement>(null);
  // The clicked entry is removed together with the present version, so focus moves here.
  useEffect(() => {
    if (document.activeElement === document.body) back.current?.focus();
  }, []);
  useActions([
    { keys: "Escape", label: "Back to current version", run: leave },
    {
      keys: "[",
      label: "Previous change",
      run: () => onChange(before),
      disabled: before === undefined ? "This is the first change." : undefined,
    },
    {
      keys: "]",
      label: "Next change",
      run: () => onChange(after),
      disabled: after === undefined ? "This is the last change." : undefined,
    },
  ]);
  return (
    <div className="past-banner" role="status">
      <History className="ico" aria-hidden="true" />
      <span className="grow">
        <strong>
          Version of <time dateTime={at}>{FORMAT.format(new Date(at))}</time>
        </strong>{" "}
        <span>Read-only.</span>
      </span>
      <span className="past-steps">
        <StepButton label="Previous change" keys="[" to={before} onStep={onChange}>
          <ChevronLeft />
        </StepButton>
        <TextInput
          type="datetime-local"
          aria-label="Date and time"
          value={toLocalTime(new Date(at))}
          max={toLocalTime(new Date())}
          onChange={({ target }) => {
            const next = toIsoTime(target.value);
            if (next !== undefined) onChange(next);
          }}
        />
        <StepButton label="Next change" keys="]" to={after} onStep={onChange}>
          <ChevronRight />
        </StepButton>
        <Button look="main" ref={back} type="button" onClick={leave}>
          {" "}
          Back to current version{" "}
        </Button>
      </span>
    </div>
  );
}

interface StepButtonProps {
  readonly label: string;
  readonly keys: string;
  readonly to: string | undefined;
  readonly onStep: (to: string | undefined) => void;
  readonly children: ReactNode;
}

/** Stays focusable when disabled, so that the focus is kept at the last change. */
function StepButton({ label, keys, to, onStep, children }: StepButtonProps) {
  return (
    <Button
      isIcon
      type="button"
      aria-label={label}
      aria-disabled={to === undefined}
      title={`${label} (${keys})`}
      onClick={() => to !== undefined && onStep(to)}
    >
      {children}
    </Button>
  );
}
