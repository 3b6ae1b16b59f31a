import type { ReactNode } from "react";

interface IconButtonProps {
  readonly label: string;
  readonly isOff?: boolean | undefined;
  readonly isSmall?: boolean;
  readonly onPress: () => void;
  readonly children: ReactNode;
}

/** A button that is a picture, with its name for whoever points at it or hears it. */
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
