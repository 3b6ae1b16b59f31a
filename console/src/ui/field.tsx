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
  /** For screen readers alone. */
  readonly hidesLabel?: boolean | undefined;
  /** Gets the attributes that bind a control to its words. */
  readonly children: (attributes: FieldState) => ReactNode;
}

/** A label, a control, its help and its error, bound together. Forms of a schema have their own. */
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
