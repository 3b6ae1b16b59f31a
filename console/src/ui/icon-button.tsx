import type { ReactNode } from "react";

interface IconButtonProps {
  readonly label: string;
  readonly isOff?: boolean | undefined;
  readonly isSmall?: boolean;
  readonly onPress: () => void;
  readonly children: ReactNode;
}

/** An icon button with a tooltip and an accessible name. */
export function IconButton({ label, isOff, isSmall = false, onPress, children }: IconButtonProps) {
  return (
    <button
      type="button"
      className={isSmall ? "btn bare icon small" : "btn bare icon"}
      aria-label={label}
      title={label}
      disabled={isOff}
      onClick={onPress}
    >
      {children}
    </button>
  );
}
