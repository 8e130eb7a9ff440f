// Cycles among imports.

/** Sorted groups of files that import each other, directly or through others; empty without cycles. */
export function importCycles(imports: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const isOpen = new Set<string>();
  const cycles: string[][] = [];
  // Tarjan: the lowest number reachable from a file closes its group.
  const visit = (file: string): void => {
    order.set(file, order.size);
    lowest.set(file, order.get(file)!);
    open.push(file);
    isOpen.add(file);
    for (const target of imports.get(file) ?? []) {
      if (!order.has(target)) visit(target);
      if (isOpen.has(target)) lowest.set(file, Math.min(lowest.get(file)!, lowest.get(target)!));
    }
    if (lowest.get(file) !== order.get(file)) return;
    const group: string[] = [];
    for (let member = ''; member !== file; ) {
      member = open.pop()!;
      isOpen.delete(member);
      group.push(member);
    }
    if (group.length > 1 || (imports.get(file) ?? []).includes(file)) cycles.push(group.sort());
  };
  for (const file of imports.keys()) if (!order.has(file)) visit(file);
  return cycles.sort((a, b) => (a[0]! < b[0]! ? -1 : 1));
}
