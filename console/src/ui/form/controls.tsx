/** Styled native controls, for inputs outside forms. */
import type { ComponentProps } from "react";

interface Look {
  /** Without the frame of a field, for containers that draw their own. */
  readonly isBare?: boolean | undefined;
  readonly isMono?: boolean | undefined;
}

function classOf({ isBare = false, isMono = false }: Look, own: string | undefined) {
  const looks = [!isBare && "field", isMono && "mono", own].filter(Boolean);
  return looks.length === 0 ? {} : { className: looks.join(" ") };
}

export function TextInput({ isBare, isMono, className, ...rest }: ComponentProps<"input"> & Look) {
  return <input {...rest} {...classOf({ isBare, isMono }, className)} />;
}

export function TextArea({
  isBare,
  isMono,
  className,
  ...rest
}: ComponentProps<"textarea"> & Look) {
  return <textarea {...rest} {...classOf({ isBare, isMono }, className)} />;
}

export function Select({ isBare, isMono, className, ...rest }: ComponentProps<"select"> & Look) {
  return <select {...rest} {...classOf({ isBare, isMono }, className)} />;
}

type Typed = Omit<ComponentProps<"input">, "type">;

export const CheckBox = (props: Typed) => <input {...props} type="checkbox" />;
export const RadioButton = (props: Typed) => <input {...props} type="radio" />;
export const FileInput = (props: Typed) => <input {...props} type="file" />;
