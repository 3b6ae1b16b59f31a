import { type ReactNode, useId } from "react";

interface FieldState {
  readonly id: string;
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": true | undefined;
}

interface FieldProps {
  readonly label: string;
  readonly help?: ReactNode;
  readonly error?: string | undefined;
  readonly isOptional?: boolean;
  /** Only for screen readers. */
  readonly hidesLabel?: boolean | undefined;
  /** Receives the attributes that connect a control with its label and error. */
  readonly children: (attributes: FieldState) => ReactNode;
}

/** A control with label, help and error. Schema forms have their own fields. */
export function Field({ label, help, error, isOptional, hidesLabel, children }: FieldProps) {
  const id = useId();
  const described = [error !== undefined && `${id}-error`, help && `${id}-help`].filter(Boolean);
  return (
    <div className={error === undefined ? "field-box" : "field-box wrong"}>
      <label htmlFor={id} className={hidesLabel ? "hide" : undefined}>
        {label}
        {isOptional && <span className="muted"> (optional)</span>}
      </label>
      {children({
        id,
        "aria-describedby": described.join(" ") || undefined,
        "aria-invalid": error === undefined ? undefined : true,
      })}
      {help && (
        <p id={`${id}-help`} className="field-help">
          {help}
        </p>
      )}
      {error !== undefined && (
        <p id={`${id}-error`} className="field-error">
          {error}
        </p>
      )}
    </div>
  );
}
