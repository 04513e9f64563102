import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { applyTheme } from './shell/theme.ts'
import './styles.css'

applyTheme()
const root = document.getElementById('root')
if (root) createRoot(root).render(<App />)
