import { ChevronDown, type LucideIcon } from "lucide-react";
import { Popover as Parts } from "radix-ui";
import { type ReactNode, useState } from "react";
import { buttonClass } from "./button";
import { cx } from "./class-names";

/** A button, and what it opens beside itself; `label` names both. What is in it is made when it is opened. */
export const Popover = ({
  label,
  shown,
  icon: Icon,
  active = false,
  children,
}: {
  readonly label: string;
  /** What stands on the button, where it is more than the label. */
  readonly shown?: ReactNode;
  readonly icon?: LucideIcon;
  readonly active?: boolean;
  readonly children: (close: () => void) => ReactNode;
}) => {
  const [open, setOpen] = useState(false);
  return (
    <Parts.Root open={open} onOpenChange={setOpen}>
      <Parts.Trigger className={cx(buttonClass(), "max-w-full min-w-0", active && "border-accent!")}>
        {Icon && <Icon className="size-4 shrink-0" aria-hidden />}
        <span className="truncate">{shown ?? label}</span>
        <ChevronDown className="size-4 shrink-0 text-muted" aria-hidden />
      </Parts.Trigger>
      <Parts.Portal>
        <Parts.Content
          align="start"
          sideOffset={4}
          collisionPadding={8}
          aria-label={label}
          className="z-50 flex max-h-[min(26rem,var(--radix-popover-content-available-height))] w-80 max-w-[calc(100vw-1rem)] flex-col gap-2 overflow-hidden rounded-lg border border-line bg-panel p-2 shadow-lift"
        >
          {children(() => setOpen(false))}
        </Parts.Content>
      </Parts.Portal>
    </Parts.Root>
  );
};
