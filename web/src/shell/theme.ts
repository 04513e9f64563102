import { useState } from 'react'

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const place = 'redrive-theme'

function chosen(): Theme {
  const kept = localStorage.getItem(place)
  return themes.find((theme) => theme === kept) ?? 'system'
}

/** Before anything is drawn, so that nothing flashes. */
export function applyTheme(theme: Theme = chosen()): void {
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
}

export function useTheme(): readonly [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useState(chosen)
  return [
    theme,
    (next) => {
      localStorage.setItem(place, next)
      applyTheme(next)
      setTheme(next)
    },
  ]
}
