/** The props that connect a control with a form field, created by `form.field("title")`. */
export interface FieldBinding<T> {
  readonly name: string;
  readonly value: T | null | undefined;
  /** Null empties the field. */
  readonly onChange: (value: T | null | undefined) => void;
  /** Returns the error of the field, or of a part of its value such as `/0/title`, starting with the label. */
  readonly errorFor: (label: string, path?: string) => string | undefined;
  readonly limits: FieldLimits;
  readonly isDisabled: boolean;
}

/** The limits of a field from the operation's schema. */
export interface FieldLimits {
  readonly required?: boolean | undefined;
  readonly nullable?: boolean | undefined;
  readonly title?: string | undefined;
  readonly format?: string | undefined;
  readonly pattern?: string | undefined;
  readonly type?: string | undefined;
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly minItems?: number | undefined;
  readonly maxItems?: number | undefined;
  readonly values?: readonly (string | number | boolean)[] | undefined;
  readonly items?: FieldLimits | undefined;
}

/** Props of every field, in addition to its binding. */
export interface FieldProps<T> extends FieldBinding<T> {
  /** Default: the field name as words. */
  readonly label?: string | undefined;
  readonly help?: React.ReactNode;
  /** Overrides the schema, if the screen requires the field or fills it itself. */
  readonly isRequired?: boolean | undefined;
  /** The context names the field, so the label is only for screen readers. */
  readonly hidesLabel?: boolean | undefined;
}

/** A form, for its container: a dialog or panel around fields of any operation. */
export interface FormFrame {
  readonly isBusy: boolean;
  readonly isDirty: boolean;
  /** True if an update would change nothing, so there is nothing to send. */
  readonly isUnchanged: boolean;
  /** Why the user can't send the form. */
  readonly refusal: string | undefined;
  /** Errors that no field shows. */
  readonly problems: readonly string[];
  /** Another user changed the same fields; undefined if there is no conflict. */
  readonly conflict: FormConflict | undefined;
  /** Counts failed attempts: after each, the first invalid field gets the focus. */
  readonly failures: number;
  readonly submit: () => void;
  readonly reset: () => void;
}

export interface FormConflict {
  /** The names of the fields that both users changed, if they are known. */
  readonly fields: readonly string[];
  readonly takeTheirs: (() => void) | undefined;
  /** The other user's values, by field. */
  readonly theirs: Readonly<Record<string, unknown>>;
  readonly keepMine: () => void;
}

/** Binds a field that belongs to no form, such as the time of a preview. */
export const freeField = <T>(
  name: string,
  value: T | null | undefined,
  onChange: (value: T | null | undefined) => void,
): FieldBinding<T> => ({
  name,
  value,
  onChange,
  errorFor: () => undefined,
  limits: { required: true },
  isDisabled: false,
});

/**
 * Binds a part of a field's value: `partOf(partOf(form.field("steps"), 0), "title")`. The contract has no limits
 * for parts, so callers pass them; by default, parts are required.
 */
export function partOf<T extends object, K extends keyof T & (string | number)>(
  whole: FieldBinding<T>,
  key: K,
  limits: FieldLimits = { required: true },
): FieldBinding<NonNullable<T[K]>> {
  return {
    name: String(key),
    value: whole.value?.[key] as NonNullable<T[K]> | null | undefined,
    onChange: (next) => whole.onChange(withPart(whole.value, key, next) as T),
    errorFor: (label, path = "") => whole.errorFor(label, `/${key}${path}`),
    limits,
    isDisabled: whole.isDisabled,
  };
}

const withPart = (whole: unknown, key: string | number, part: unknown): unknown =>
  Array.isArray(whole)
    ? whole.with(Number(key), part)
    : { ...(whole as object | null), [key]: part };
