import { Ellipsis, type LucideIcon } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { type ReactNode, useRef } from "react";
import { IconButton } from "./button";
import { cx } from "./class-names";

type MenuItem = {
  readonly label: string;
  readonly icon?: LucideIcon;
  readonly danger?: boolean;
  readonly disabled?: boolean;
  readonly onSelect: () => void;
};

/** What else can be done with something; `label` names it for screen readers. */
export const Menu = ({
  label,
  items,
  trigger,
}: {
  readonly label: string;
  readonly items: readonly (MenuItem | null | false | undefined)[];
  readonly trigger?: ReactNode;
}) => {
  const chosen = useRef<(() => void) | null>(null);
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>{trigger ?? <IconButton icon={Ellipsis} label={label} />}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="end"
          sideOffset={4}
          // Only now: a dialog it opens gives the keyboard back to the menu's button, not to an item that is gone.
          onCloseAutoFocus={() => {
            chosen.current?.();
            chosen.current = null;
          }}
          className="z-50 min-w-44 rounded-lg border border-line bg-panel p-1 shadow-lift"
        >
          {items.map(
            (item) =>
              item && (
                <DropdownMenu.Item
                  key={item.label}
                  disabled={item.disabled ?? false}
                  onSelect={() => {
                    chosen.current = item.onSelect;
                  }}
                  className={cx(
                    "flex cursor-pointer items-center gap-2 rounded-md px-2 py-1.5 outline-none data-disabled:opacity-50 data-highlighted:bg-raised",
                    item.danger && "text-bad",
                  )}
                >
                  {item.icon && <item.icon className="size-4" aria-hidden />}
                  {item.label}
                </DropdownMenu.Item>
              ),
          )}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
};
