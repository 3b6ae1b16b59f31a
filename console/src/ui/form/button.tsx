import type { ComponentProps } from "react";

interface Refusable {
  /** The reason why the button is disabled, shown to the user. */
  readonly refusal?: string | undefined;
}

export interface ButtonProps extends ComponentProps<"button">, Refusable {
  /** `main` for the primary action of a screen, `bare` without a border. */
  readonly look?: "main" | "bare" | undefined;
  readonly isDangerous?: boolean | undefined;
  /** Shows only an icon; `aria-label` names it. */
  readonly isIcon?: boolean | undefined;
  readonly isSmall?: boolean | undefined;
}

export function Button({ look, isDangerous, isIcon, isSmall, className, ...rest }: ButtonProps) {
  const looks = [
    "btn",
    look,
    isDangerous && "danger",
    isIcon && "icon",
    isSmall && "small",
    className,
  ];
  return <PlainButton {...rest} className={looks.filter(Boolean).join(" ")} />;
}

/** An unstyled button, such as a row that opens something. */
export function PlainButton({ refusal, ...rest }: ComponentProps<"button"> & Refusable) {
  if (refusal === undefined) return <button {...rest} />;
  return <button {...rest} disabled title={refusal} />;
}
