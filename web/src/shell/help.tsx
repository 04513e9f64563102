import { Dialog } from '../parts/dialog.tsx'
import { useKeysSetting, useOffered } from './actions.tsx'

export function Help({ onClose }: { readonly onClose: () => void }) {
  const keyed = useOffered().filter(({ key }) => key !== undefined)
  const [isOn, setOn] = useKeysSetting()
  return (
    <Dialog title="Keys on this page" onClose={onClose}>
      <table className="w-full text-sm">
        <thead className="sr-only">
          <tr>
            <th>Key</th>
            <th>What it does</th>
          </tr>
        </thead>
        <tbody>
          {keyed.map(({ name, key, reason }) => (
            <tr key={name} className="border-t">
              <td className="w-24 py-1.5">
                <kbd className="rounded border px-1.5 font-mono">{key}</kbd>
              </td>
              <td className={reason === undefined ? '' : 'text-muted'}>
                {name}
                {reason !== undefined && <span className="block text-xs">{reason}</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <label className="mt-4 flex items-center gap-2">
        <input type="checkbox" checked={isOn} onChange={({ target }) => setOn(target.checked)} />
        Single keys do something (Ctrl+K always does)
      </label>
    </Dialog>
  )
}
