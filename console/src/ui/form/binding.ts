/** What binds a control to a field of a form; `form.field("title")` makes one. */
export interface FieldBinding<T> {
  readonly name: string;
  readonly value: T | null | undefined;
  /** Null empties the field. */
  readonly onChange: (value: T | null | undefined) => void;
  /** What is wrong with it, or with a part of its value such as `/0/title`, in words that begin with the label. */
  readonly errorFor: (label: string, path?: string) => string | undefined;
  readonly limits: FieldLimits;
  readonly isDisabled: boolean;
}

/** What the operation's schema says of a field. */
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

/** What every field takes beside its binding. */
export interface FieldProps<T> extends FieldBinding<T> {
  /** By default the name of the field in words. */
  readonly label?: string | undefined;
  readonly help?: React.ReactNode;
  /** Where the screen needs it, or supplies it, against the schema. */
  readonly isRequired?: boolean | undefined;
  /** Its surroundings say what it is: the label is for screen readers alone. */
  readonly hidesLabel?: boolean | undefined;
}

/** A form, as its frame sees it: a dialog or a panel around fields of any operation. */
export interface FormFrame {
  readonly isBusy: boolean;
  readonly isDirty: boolean;
  /** An update that would change nothing: there is nothing to send. */
  readonly isUnchanged: boolean;
  /** Why this person can't send it. */
  readonly refusal: string | undefined;
  /** What went wrong, of which no field tells. */
  readonly problems: readonly string[];
  /** Somebody else changed the same fields; undefined while nobody did. */
  readonly conflict: FormConflict | undefined;
  /** Counts attempts that failed: after each the first wrong field gets the focus. */
  readonly failures: number;
  readonly submit: () => void;
  readonly reset: () => void;
}

export interface FormConflict {
  /** The names of the fields that both changed, where they are known. */
  readonly fields: readonly string[];
  readonly takeTheirs: (() => void) | undefined;
  /** What they wrote, by field. */
  readonly theirs: Readonly<Record<string, unknown>>;
  readonly keepMine: () => void;
}

/** Binds a field that belongs to no form, such as the moment of a preview. */
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
 * Binds a part of the value of a field: `partOf(partOf(form.field("steps"), 0), "title")`. The contract says nothing of
 * parts, so whoever shows one says what limits it has; it is required where nothing is said.
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
